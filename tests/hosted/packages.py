"""Put Colab's packages into a folder, and beside them a Jupyter kernel that has Colab's widgets, by which nbval runs the labs.

``python tests/hosted/packages.py _build/hosted``, as ``make test`` does.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

LIST = Path(__file__).with_name("colab-3.13.txt")
WIDGETS = {"ipywidgets", "widgetsnbextension", "ipython_genutils"}


def main() -> None:
    folder = Path(sys.argv[1]).absolute()
    packages, widgets, kernel = folder / "packages", folder / "widgets", folder / "kernels" / "colab"
    shutil.rmtree(folder, ignore_errors=True)
    install = [Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--no-deps"]
    where = ["--python", sys.executable, "--target", packages]
    subprocess.run([*install, *where, "-r", LIST], check=True)
    widgets.mkdir()
    for path in packages.iterdir():
        if path.name.split("-")[0] in WIDGETS:
            (widgets / path.name).symlink_to(path)
    kernel.mkdir(parents=True)
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {
        "argv": start,
        "display_name": "Colab's widgets",
        "language": "python",
        "env": {"PYTHONPATH": str(widgets)},
    }
    (kernel / "kernel.json").write_text(json.dumps(spec))
    (folder / ".ready").touch()


if __name__ == "__main__":
    main()

"""Print which packages of a kept list have another version in a published one: python3 compare.py KEPT PUBLISHED."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def versions(path: str) -> dict[str, str]:
    """Package → version; addresses and comments are left out, and what follows a + (the build)."""
    found = re.findall(r"^([\w.-]+)==([^+\s]+)", Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in found}


if __name__ == "__main__":
    kept, published = map(versions, sys.argv[1:])
    for name, version in kept.items():
        if published.get(name) != version:
            print(f"- {name}: {version} is kept, {published.get(name, 'nothing')} is published")

"""The form of a chapter, its visible code, and its stored experiments."""

from __future__ import annotations

import linecache
import os
import re
import sys
from types import ModuleType, SimpleNamespace

import ahead  # book/_extension
import nbclient
import nbformat
import numpy as np
import pytest
import support
from jupyter_cache import get_cache
from jupyter_cache.cache.main import CacheBundleIn

from tests.conftest import NOT_REWRITTEN, ROOT, STEMS

BOOK = ROOT / "book"
REWRITTEN = [stem for stem in STEMS if stem not in NOT_REWRITTEN]
PAGE = (
    "book/{stem}.md",
    "book/support/__init__.py",
    "book/support/{stem}.py",
    "book/results/{stem}/*",
    "labkit/**",
)

each_rewritten = pytest.mark.parametrize("stem", REWRITTEN)
by_page = pytest.mark.hangs_on(*PAGE)


def text_of(stem: str) -> str:
    return (BOOK / f"{stem}.md").read_text(encoding="utf-8")


def teaching_prose(text: str) -> str:
    """The words of a page that teach: no code, directives' options, mistakes, quiz, exercises, or what follows them."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S).split("\n## Common mistakes\n")[0]
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " x ", text, flags=re.S)
    return re.sub(r"^(:{3}.*|:[a-z]+:.*|\|.*|#.*)$", "", text, flags=re.M)


def slips_of_form(text: str) -> list[str]:
    """What a page lacks of the form that DESIGN and CONTRIBUTING ask for."""
    slips = []
    cells = support.visible_cells(text)
    if not 6 <= len(cells) <= 14:
        slips.append(f"{len(cells)} visible cells, not 6 to 14")
    for cell in cells:
        lines = [line for line in cell.splitlines() if line.strip()]
        if len(lines) > 22 or max(map(len, lines)) > 77:
            slips.append(f"a cell of {len(lines)} lines of up to {max(map(len, lines))} signs: {lines[0]!r}")
    if "hide-input" in text:
        slips.append("a cell with hide-input: show it, or move it to support")
    if not re.search(r"^\*About \d+ minutes\. You need .+\*$", text, re.M):
        slips.append("no line *About … minutes. You need …* at the top")
    headings = re.findall(r"^## (.+)$", text, re.M)
    slips += [
        f"no section {needed!r}"
        for needed in (
            "Common mistakes",
            "Think, then open",
            "Quiz",
            "Exercises",
            "What to remember",
            "Further reading",
        )
        if needed not in headings
    ]
    words = len(teaching_prose(text).split())
    if not 3000 <= words <= 5000:
        slips.append(f"{words:,} words of teaching prose, not 3,000 to 5,000")
    return slips


@by_page
@each_rewritten
def test_the_form_of_a_page(stem):
    assert not slips_of_form(text_of(stem))


@pytest.mark.hangs_on("book/{stem}.md", "book/support/__init__.py")
@pytest.mark.parametrize("stem", NOT_REWRITTEN)
def test_a_chapter_with_the_new_form_leaves_the_list(stem):
    assert slips_of_form(text_of(stem)), f"take {stem} out of NOT_REWRITTEN"


@by_page
@each_rewritten
def test_the_visible_cells_run_alone(stem, tmp_path):
    """In order, in a fresh kernel, in an empty folder; each shows something."""
    cells = [nbformat.v4.new_code_cell(cell) for cell in support.visible_cells(text_of(stem))]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    silent = [cell.source.splitlines()[0] for cell in notebook.cells if not cell.outputs]
    assert not silent, f"cells that show nothing begin with {silent}"


@by_page
@each_rewritten
def test_what_is_stored_was_measured_by_the_code_as_it_is(stem):
    experiments = support.experiments(stem)
    stale = [name for name, part in experiments.items() if not part.fresh]
    assert not stale, f"{stale} are stale; run: make experiments CHAPTER={stem}"
    kept = {path.stem for path in (BOOK / "results" / stem).iterdir()}
    assert kept == set(experiments), "each result has its experiment"


@pytest.mark.skipif(not os.environ.get("PROOF"), reason="takes minutes: make proof")
@by_page
@each_rewritten
def test_a_repetition_gives_what_is_stored(stem):
    assert not [wrong for part in support.experiments(stem).values() for wrong in part.differences()]


@pytest.mark.hangs_on("book/support/*")
def test_every_support_module_has_its_chapter():
    assert support.stems() == REWRITTEN


# What support does, on a small chapter

CODE = '''
import math
from support import Shown, experiment

page = Shown("05_tiny", "area")
FACTOR = 2


def helper(x):
    """Words."""
    return FACTOR * x


def unused():
    return 0


@experiment(seeds=3)
def doubled(seed):
    # A comment.
    return {"twice": helper(seed), "area": page.area(seed), "list": [seed], "array": np.arange(seed)}
'''
TINY = '''
```{code-cell} python3
import math
```

```{code-cell} python3
:tags: [remove-input]
area = "hidden"
```

```{code-cell} python3
def square(r):
    return r * r

def area(r):
    """The area of a circle."""
    return round(math.pi * square(r), 2)

print(area(1))
```
'''


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A chapter with one experiment; a function that writes it again with other words, and gives its experiment."""
    monkeypatch.setattr(support, "BOOK", tmp_path)
    monkeypatch.setattr(support, "RESULTS", tmp_path / "results")

    def write(*changes: tuple[str, str]):
        code, text = CODE, TINY
        for old, new in changes:
            assert old in code + text
            code, text = code.replace(old, new), text.replace(old, new)
        path = tmp_path / "tiny.py"
        path.write_text(code)
        (tmp_path / "05_tiny.md").write_text(text)
        module = ModuleType("support.05_tiny")
        module.__dict__.update(__file__=str(path), np=np)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(code, path, "exec"), module.__dict__)
        linecache.checkcache(str(path))
        return module.doubled

    return write


pure = pytest.mark.hangs_on("book/support/__init__.py", "labkit/files.py")


@pure
def test_what_is_measured_comes_back(tiny):
    part = tiny()
    assert not part.fresh
    with pytest.raises(support.Stale, match="never measured; run: make experiments CHAPTER=05_tiny"):
        _ = part.stored
    part.measure("a command", {"cores": 2})
    again = tiny()
    assert again.fresh
    assert again.stored["array"].tolist() == [0]
    assert {name: again.stored[name] for name in ("twice", "area", "list")} == {
        "twice": 2,
        "area": 3.14,
        "list": [1],
    }
    assert again.ends("twice") == (2, 6)
    assert again.differences() == []


@pure
@pytest.mark.parametrize(
    ("change", "stale"),
    [
        (("# A comment.", "# Another."), False),
        (('"""Words."""', '"""Better words."""'), False),
        (('"""The area of a circle."""', '"""A circle."""'), False),
        (("return 0", "return 1"), False),
        (('area = "hidden"', "area = 3"), False),
        (("return r * r", "return r *  r    # its square"), False),
        (("round(math.pi * square(r), 2)", "round(\n        math.pi * square(r), 2)"), False),
        (("def area", "@str\ndef area"), True),
        (("FACTOR = 2", "FACTOR = 3"), True),
        (("FACTOR * x", "x * FACTOR"), True),
        (("r * r", "r**2"), True),
        (("seeds=3", "seeds=2"), True),
    ],
    ids=str,
)
def test_a_result_is_stale_where_what_it_hangs_on_has_changed(tiny, change, stale):
    tiny().measure("", {})
    assert tiny(change).fresh is not stale


@pure
def test_stale_results_are_refused(tiny):
    tiny().measure("", {})
    with pytest.raises(support.Stale, match="doubled was measured by other code"):
        _ = tiny(("r * r", "r**2")).stored


@pure
def test_a_repetition_outside_of_the_seeds_range_is_told(tiny, monkeypatch):
    tiny().measure("", {})
    part = tiny()
    object.__setattr__(part, "run", lambda seed: {"twice": 9.0, "area": 3.14})
    monkeypatch.setattr(type(part), "stored", {"twice": 2, "area": 3.14})
    monkeypatch.setattr(type(part), "ends", lambda self, name: {"twice": (2, 6), "area": (3.14, 28.27)}[name])
    assert part.differences() == ["<lambda>, twice: 9, but 2 to 6 before"]


@pure
def test_a_name_that_the_page_does_not_show_is_named(tiny):
    tiny()
    with pytest.raises(ValueError, match="volume"):
        support.Shown("05_tiny", "volume").volume  # noqa: B018
    with pytest.raises(AttributeError, match="square is not among"):
        support.Shown("05_tiny", "area").square  # noqa: B018


@pytest.mark.hangs_on("book/_extension/ahead.py", "labkit/files.py")
@pytest.mark.parametrize(
    "changed", ["support/05_tiny.py", "support/__init__.py", "results/05_tiny/doubled.json"]
)
def test_a_page_is_run_again_where_its_support_has_changed(changed, tmp_path, monkeypatch):
    """The cache of runs knows a page by its code, so the build tells it of the rest."""
    for name in ("support/05_tiny.py", "support/__init__.py", "results/05_tiny/doubled.json"):
        (tmp_path / "book" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "book" / name).write_text("1")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("page.figure()")])
    monkeypatch.setattr(ahead, "_reader", lambda env, page: (SimpleNamespace(read=lambda text: notebook), ""))
    settings = SimpleNamespace(execution_cache_path=str(tmp_path / "cache"))
    env = SimpleNamespace(mystnb_config=settings, found_docs={"book/05_tiny"})
    cache = get_cache(settings.execution_cache_path)

    def kept() -> int:
        return len(cache.list_cache_records())

    def outdated() -> list[str]:
        return ahead._with_other_support(SimpleNamespace(srcdir=str(tmp_path)), env, set(), set(), set())

    def run() -> None:
        cache.cache_notebook_bundle(CacheBundleIn(notebook, "05_tiny"), check_validity=False, overwrite=True)

    run()
    assert outdated() == ["book/05_tiny"]
    assert kept() == 0
    run()
    assert outdated() == []
    assert kept() == 1
    (tmp_path / "book" / changed).write_text("2")
    assert outdated() == ["book/05_tiny"]
    assert kept() == 0

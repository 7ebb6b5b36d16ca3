"""The extension's own parts: formulas, the pruned style sheet, the cut fonts, the names for screen readers."""

from __future__ import annotations

import pytest
from accessible import named_toggles, repaired  # book/_extension
from assets import cut, math_font, prune, used_names, without_measuring
from fontTools.ttLib import TTFont
from formulas import mathml
from pictures import size

pytestmark = pytest.mark.hangs_on("book/_extension/**", "labkit/**")


def test_a_formula_becomes_mathml():
    found = mathml(r"\mathbf{q}^\top W \in \mathbb{R}^V", display=False)
    assert found.startswith("<math>")
    assert "𝐪" in found
    assert "ℝ" in found
    assert 'display="block"' in mathml(r"\sum_{i=1}^n x_i", display=True)


@pytest.mark.parametrize("tex", [r"\frac{1}", r"\nosuchcommand{x}", r"\left( x"])
def test_a_formula_that_tex_would_refuse_is_named(tex):
    with pytest.raises(ValueError, match="the formula") as caught:
        mathml(tex, display=False)
    assert repr(tex) in str(caught.value)


@pytest.mark.parametrize(
    "root", ['<svg x="1" width="72pt" height="36.4pt" viewBox="0 0 9 9">', '<svg height="49" width="96px">']
)
def test_the_size_of_a_drawing_is_that_of_its_root(root):
    assert size(f'<?xml version="1.0"?>{root}<rect width="5" height="5"/></svg>') == (96, 49)


def test_the_theme_no_longer_measures_all_at_load():
    last = '"complete"===document.readyState?I():window.addEventListener("load",I)'
    shorter = without_measuring(f"(()=>{{f(),{last}}})();")
    assert "addEventListener" not in shorter
    assert shorter.startswith("(()=>{f(),")
    assert shorter.endswith("})();")
    assert without_measuring(shorter) == shorter
    for script in ("f();", f"{last};{last}"):
        with pytest.raises(ValueError, match="the theme has changed"):
            without_measuring(script)


def test_rules_that_match_nothing_go_and_all_others_stay():
    sheet = (
        "@import 'x.css';p{margin:0}.used,.gone{color:red}.gone:hover{top:0}.used:not(.gone){left:0}"
        "@media print{.gone{top:1px}.used>p{top:2px}}@media screen{.gone{top:3px}}"
        "@font-face{font-family:A;src:url(../vendor/fontawesome/a.woff2)}@keyframes turn{to{top:9px}}"
    )
    kept = prune(sheet, {"used"})
    for rule in (
        "p{margin:0}",
        ".used{color:red}",
        ".used:not(.gone){left:0}",
        ".used>p{top:2px}",
        "@keyframes turn",
        "@import",
    ):
        assert rule in kept, rule
    for rule in (".gone{", ".gone:hover", "@media screen", "fontawesome"):
        assert rule not in kept, rule


def test_names_come_from_pages_and_scripts():
    assert used_names(['<p class="a b-c">', "<i class='x'>"], ["e.classList.add('show')"]) >= {
        "a",
        "b-c",
        "show",
    }


def test_a_cut_font_keeps_its_signs_and_the_stretched_forms_of_them(tmp_path):
    cut(math_font(), "∑√(x", tmp_path / "math.woff")
    font = TTFont(tmp_path / "math.woff")
    assert set(font.getBestCmap()) >= {ord(sign) for sign in "∑√(x"}
    assert ord("ζ") not in font.getBestCmap()
    assert "MATH" in font
    assert len(font.getGlyphOrder()) > 10, "a root sign of every height"
    assert (tmp_path / "math.woff").stat().st_size < 30_000


def test_what_the_theme_leaves_unnamed_gets_a_name():
    item = '<li><a href="x">Lab <em>01</em></a><details><summary><i></i></summary><ul></ul></details></li>'
    assert 'aria-label="Parts of Lab 01"' in named_toggles(item)
    assert "aria-label" not in repaired('<summary aria-label="Toggle hidden content"><p>Show</p></summary>')
    assert repaired("<tr><th></th><th>a</th></tr>") == "<tr><td></td><th>a</th></tr>"
    assert repaired('<th class="blank">&nbsp;</th>') == '<td class="blank"></td>'

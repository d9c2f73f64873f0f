"""Style sheets and fonts are cut to what pages use."""

import tinycss2
from fontTools.ttLib import TTFont
from ldp_sphinx import lean_styles
from matplotlib import get_data_path

STYLE = """/*! Licence */ /* said */
a { color: red } .used { color: blue } .gone { color: green } .used .gone, .used:not(.gone) > b { top: 0 }
#here .used[data-x] { left: 0 } #there { left: 0 } mjx-c.used::before { content: "\\66" } mjx-gone { top: 0 }
:root { --asked: 1px; --unasked: 2px }
.bs-tooltip-auto { top: 1px !important }
@media print { .gone { top: 0 } } @media screen { .used { top: 2px } }
@font-face { font-family: F; src: url(f.woff) }
"""


def cut(*words: str) -> str:
    rules = tinycss2.parse_stylesheet(STYLE, skip_whitespace=True)
    return lean_styles.cut(rules, lean_styles.known_among({*words}), {"--asked"})


def test_rules_of_absent_names_go():
    left = cut("used", "here", "mjx-c", "bs-")
    assert ".used:not(.gone) > b{top:0}" in left
    assert ":root{--asked:1px}" in left
    assert ".bs-tooltip-auto{top:1px!important}" in left
    assert "@media screen {.used{top:2px}}" in left
    for kept in (
        "/*! Licence */",
        "a{",
        "#here .used[data-x]{",
        "mjx-c.used::before{",
        ".bs-tooltip-auto{",
        "@font-face",
    ):
        assert kept in left
    for gone in (".gone{", ".used .gone", "#there", "mjx-gone", "print", "said"):
        assert gone not in left


def test_words_of_tags_and_scripts_count(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "a.html").write_text(
        '<p class="one two">three <mjx-c id="four"></mjx-c></p>', encoding="utf-8"
    )
    code = "x.classList.add('five'); y = `bs-${z}`; 'popover-body'"
    (tmp_path / "_static" / "a.js").write_text(code, encoding="utf-8")
    found = lean_styles.words(tmp_path)
    assert {"one", "two", "mjx-c", "four", "five", "bs-"} <= found
    assert not {"three", "popover-body"} & found


def test_letters_are_what_styles_put_on_pages():
    assert lean_styles.letters(r'.a{content:"\f002"} .b{content:"x\""} .c{top: 0}') == {
        0xF002,
        *map(ord, 'x"'),
    }


def test_each_font_of_formulas_has_its_letters():
    faces = "".join(
        f'@font-face {{ font-family: MJXTEX{name}; src: url("fonts/F{name}.woff") }}'
        for name in ("", "-I", "-S1")
    )
    rules = 'm-c.c28::before{content:"("}', 'm-c.I-x::before{content:"x"}', 'm-c.S1-28::before{content:")"}'
    style = "\n".join((*rules, faces))
    for name, letters in (("", "("), ("-I", "x"), ("-S1", "()")):
        assert lean_styles.letters_of(style, f"F{name}.woff") == {*map(ord, letters)}


def test_cut_font_has_wanted_letters_and_its_name(tmp_path):
    source = f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf"
    lean_styles.cut_font(source, tmp_path / "a.woff", {ord("x")}, lean_styles.OWN_NAME)
    font = TTFont(tmp_path / "a.woff")
    assert [*font.getBestCmap()] == [ord("x")]
    assert font["name"].getDebugName(1) == lean_styles.OWN_NAME
    assert "DejaVu" not in f"{font['name'].getDebugName(4)}{font['name'].getDebugName(6)}"

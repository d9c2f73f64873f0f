"""Shorten the HTML of MathJax's formulas, without what no style sheet, script or screen reader uses.

Each letter of a formula is an element, and a long chapter has four thousand of them. Its two classes, for
the letter and the font, become one: `I-x` for an italic x, `c29` for a bracket. Names that every formula
repeats become shorter, and frequent heights become rules of the style sheet, which is changed accordingly.
"""

import re
import unicodedata
from string import ascii_letters

_MEANS_NOTHING = re.compile(
    r' (?:class="(?:MathJax|(?:mjx-cal )?mjx-[a-z]{1,2}| MJX-TEX)"|style="position: relative;"'
    r'|jax="CHTML"|texclass="\w+"|display="inline"|stretchy="false"|data-mjx-[a-z]+="[\w-]+"'
    r'|unselectable="on"|xmlns="http://www\.w3\.org/1998/Math/MathML")'
)
# A box around a single letter, with no style of its own, is dropped: the letter is a box itself.
_LETTER = re.compile(
    r'<(mjx-(?:m[ino]|TeXAtom))((?: (?:space|size)="\w+")*)><mjx-c( class="[^"]*")></mjx-c></\1>'
)
_NAME = re.compile(r'class="mjx-c([0-9A-F]+)(?: TEX-(\w+))?"')
# A strut keeps a fraction's parts apart from its line. For small fractions, the style sheet adds it instead.
_STRUT = re.compile(r"<(mjx-[nd]strut)></\1>")
_STRUTS = {"mjx-nstrut": "mjx-num", "mjx-dstrut": "mjx-dbox > mjx-dtable > mjx-row > mjx-den"}
_QUOTED = re.compile(r'="([\w.-]+)"')
_STYLE = re.compile(r' style="([^"]*);"')
# The heights of most indices and powers, with a class for each; MathJax writes the height at every one.
_PLACES = {"-0.15em": "", "0.363em": "up", "0.289em": "up-less"}
_PLACE = re.compile(r'<mjx-script style="vertical-align: ([\d.em-]+);">')
# An index of one letter is the same with or without a row around it.
_ROW = re.compile(r"<mrow>(<(m[ino])>[^<]*</\2>)</mrow>")
_ELEMENTS = {"mjx-assistive-mml": "mjx-mml", "mjx-c": "m-c", "mjx-script": "m-s", "mjx-TeXAtom": "m-a"}
_FREQUENT = re.compile(rf"\b(?:{'|'.join(_ELEMENTS)})(?![\w-])")
# These two patterns are for the style sheet.
_RULE = re.compile(r"\.mjx-c([0-9A-F]+)(?:\.TEX-(\w+))?")
_FONT = re.compile(r"^\.TEX-(\w+) \{", re.MULTILINE)


def _named(found: re.Match[str]) -> str:
    code, font = found.groups()
    letter = unicodedata.normalize("NFKC", chr(int(code, 16)))
    if not font:
        return f"c{code}"
    return f"{font}-{letter if letter in ascii_letters else code}"


def _placed(found: re.Match[str]) -> str:
    place = _PLACES.get(found[1])
    return found[0] if place is None else f"<mjx-script class={place}>" if place else "<mjx-script>"


def _short(text: str) -> str:
    """Frequent elements under shorter names."""
    return _FREQUENT.sub(lambda found: _ELEMENTS[found[0]], text)


def markup(html: str) -> str:
    """A formula's HTML without what has no effect."""
    html = _LETTER.sub(r"<mjx-c\2\3></mjx-c>", _MEANS_NOTHING.sub("", html))
    html = _STRUT.sub("", _NAME.sub(lambda found: f"class={_named(found)}", html))
    html = _PLACE.sub(_placed, _ROW.sub(r"\1", html))
    html = _STYLE.sub(lambda found: f' style="{found[1].replace(": ", ":").replace("; ", ";")}"', html)
    drawn, mark, spoken = html.partition("<mjx-assistive-mml")  # this part has to stay XML
    return _short(_QUOTED.sub(r"=\1", drawn) + mark + spoken)


def sheet(css: str) -> str:
    """MathJax's style sheet, changed to fit formulas from `markup`."""
    css = css.replace('[jax="CHTML"]', ":not([jax])")  # the selector stays as specific as before
    css = _RULE.sub(lambda found: f".{_named(found)}", css)
    css = _FONT.sub(r".TEX-\1, [class|=\1] {", css.replace(".MJX-TEX {", ".MJX-TEX, mjx-math {"))
    for strut, part in _STRUTS.items():
        head = f'\n{strut}, mjx-frac:not([type], [atop]) > {part}::before {{\n  content: "";'
        css = css.replace(f"\n{strut} {{", head, 1)
    for place, name in _PLACES.items():
        css += f"\nmjx-script{name and f'.{name}'} {{\n  vertical-align: {place};\n}}"
    return _short(css)

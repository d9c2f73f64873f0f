"""Sphinx extension: style sheets keep only the rules that pages can use, and fonts only the letters.

A rule is kept if each class, id and custom element of one of its selectors is a word of some page's tags
or of some script. So whatever a script adds to a page by its name is styled too; of a name that a script puts
together, the beginning counts ("bs-" of "bs-tooltip-auto"). Anything in parentheses is ignored.
"""

import logging
import re
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import tinycss2
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from ldp_sphinx import pages, when_written

SHEETS = (
    "basic.css",
    "book.css",
    "mathjax/chtml.css",
    "mystnb.*.css",
    "proof.css",
    "pygments.css",
    "sphinx-design.min.css",
    "styles/*-theme.css",
    "togglebutton.css",
)
ICONS = "vendor/fontawesome/webfonts"
OWN_NAME = "Icons of the book"  # a font from which letters are cut may not keep the name Font Awesome
# Parts of Bootstrap whose names in scripts do not count. If a page has such a part, its rules are kept.
NEVER_SHOWN = (
    "carousel",
    "list-group",
    "modal",
    "offcanvas",
    "popover",
    "progress",
    "toast",
    "version-switcher",
)
_ASKED = re.compile(r"var\(\s*(--[\w-]+)")
_TAG = re.compile(r"<[a-zA-Z][^>]*>")
_WORD = re.compile(r"[a-zA-Z_][\w-]*")


def words(outdir: Path) -> set[str]:
    """Words of the pages' tags and of the scripts that pages load."""
    tags: set[str] = set()
    for page in pages(outdir):
        tags.update(_TAG.findall(page.read_text(encoding="utf-8")))
    static = outdir / "_static"
    scripts = [*static.glob("*.js"), *static.glob("scripts/*.js"), *static.glob("reveal/*.js")]
    code = (script.read_text(encoding="utf-8") for script in scripts)
    added = {word for text in code for word in _WORD.findall(text) if not word.startswith(NEVER_SHOWN)}
    return added | {word for tag in tags for word in _WORD.findall(tag)}


def known_among(found: set[str]) -> Callable[[str], bool]:
    """A test whether a name is one of these words, or begins with one that a script continues."""
    beginnings = tuple(word for word in found if word.endswith("-") and len(word) > 2)
    return lambda name: name in found or name.startswith(beginnings)


def needs(selector: Iterable) -> list[str]:
    """Classes, ids and custom elements of a selector."""
    found, before = [], ""
    for token in selector:
        named = token.type == "ident" and (before == "." or (before != ":" and "-" in token.value))
        if token.type == "hash" or named:
            found.append(token.value)
        before = token.value if token.type == "literal" else ""
    return found


def selectors(prelude: Iterable) -> list[list]:
    """A rule's selectors, without their commas."""
    found: list[list] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def tight(tokens: Iterable) -> str:
    """The text of these tokens, without comments, and with single spaces."""
    said = (token for token in tokens if token.type != "comment")
    return "".join(" " if token.type == "whitespace" else token.serialize() for token in said).strip()


def said(content: Iterable, asked: set[str]) -> str:
    """The declarations of a rule, without custom properties that nothing asks for."""
    return ";".join(
        f"{one.name}:{tight(one.value)}{'!important' if one.important else ''}"
        for one in tinycss2.parse_declaration_list(content, skip_comments=True, skip_whitespace=True)
        if one.type == "declaration" and (not one.name.startswith("--") or one.name in asked)
    )


def cut(rules: Iterable, used: Callable[[str], bool], asked: set[str]) -> str:
    """The rules of a style sheet that are used."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            alive = [one for one in selectors(rule.prelude) if all(map(used, needs(one)))]
            says = said(rule.content, asked)
            if alive and says:
                kept.append(f"{','.join(tight(one) for one in alive)}{{{says}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = cut(tinycss2.parse_rule_list(rule.content, skip_whitespace=True), used, asked)
            if inner:
                kept.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}")
        elif rule.type != "comment" or rule.value.startswith("!"):  # such a comment names a licence
            kept.append(rule.serialize())
    return "\n".join(kept)


def letters(style: str) -> set[int]:
    """Code points of the text that a style sheet itself puts on a page."""
    found: set[int] = set()
    for token in tinycss2.parse_component_value_list(" ".join(re.findall(r'"(?:\\.|[^"\\])*"', style))):
        found.update(map(ord, token.value) if token.type == "string" else ())
    return found


def letters_of(formulas: str, font: str) -> set[int]:
    """Code points that the style sheet of formulas takes from one of their fonts.

    Brackets that grow come from several fonts, so all fonts but three also keep the letters whose rules name
    no font.
    """
    (family,) = re.findall(rf'font-family: *(MJX[\w-]+);[^}}]*/{re.escape(font)}"', formulas)
    name = family.removeprefix("MJXTEX").removeprefix("-")
    own = re.findall(rf"^[^{{]*\.{name}-\w+::before.*", formulas, re.MULTILINE) if name else []
    plain = re.findall(r"^(?![^{]*\.[A-Z]+\d?-).*::before.*", formulas, re.MULTILINE)
    return letters("\n".join(own + (plain if name not in ("B", "C", "I") else [])))


def cut_font(source: Path, target: Path, wanted: set[int], name: str = "") -> None:
    """Write a font's letters that are wanted, under a name of its own if one is given."""
    with TTFont(source) as font:
        options = Options(flavor="woff", notdef_outline=True, name_IDs=["*"], layout_features=[])
        options.drop_tables += ["FFTM"]  # it says when FontForge made the font
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=wanted)
        subsetter.subset(font)
        for record in font["name"].names if name else ():
            if record.nameID in (1, 3, 4, 6, 16):
                record.string = name.replace(" ", "") if record.nameID == 6 else name
        font.flavor = "woff"
        font.save(target)


def _cut_all(app, outdir: Path) -> None:
    static = outdir / "_static"
    used = known_among(words(outdir))
    sheets = [sheet for pattern in SHEETS for sheet in static.glob(pattern)]
    askers = [*static.glob("**/*.css"), *static.glob("*.js"), *static.glob("scripts/*.js"), *pages(outdir)]
    asked = {name for file in askers for name in _ASKED.findall(file.read_text(encoding="utf-8"))}
    for sheet in sheets:
        whole = sheet.read_text(encoding="utf-8")
        left = cut(tinycss2.parse_stylesheet(whole, skip_whitespace=True), used, asked)
        if len(left) >= len(whole):
            raise RuntimeError(f"nothing of {sheet} is unused; does it still have to be cut?")
        sheet.write_text(left, encoding="utf-8")
    theme = static / "styles" / "pydata-sphinx-theme.css"
    style = theme.read_text(encoding="utf-8")
    for font in (static / ICONS).glob("*.ttf"):
        cut_font(font, font.with_suffix(".woff"), letters(style), OWN_NAME)
        font.unlink()
        font.with_suffix(".woff2").unlink(missing_ok=True)
    faces = r'url\(([^)]*)\.woff2\) format\("woff2"\),url\([^)]*\.ttf\) format\("truetype"\)'
    style, times = re.subn(faces, r'url(\1.woff) format("woff")', style)
    if not times:
        raise RuntimeError(f"{theme} names no font of icons; are they still cut?")
    theme.write_text(style, encoding="utf-8")
    formulas = static / "mathjax" / "chtml.css"
    if formulas.exists():
        style = formulas.read_text(encoding="utf-8")
        for font in static.glob("mathjax/output/**/*.woff"):
            if font.name not in style:
                font.unlink()
            elif font.name != "MathJax_Zero.woff":
                cut_font(font, font, letters_of(style, font.name))
    # The address of a sheet changes with its contents, so that no browser keeps an older one.
    versions = {sheet.name: f"{zlib.crc32(sheet.read_bytes()):08x}" for sheet in sheets}
    named = re.compile(rf'/({"|".join(map(re.escape, versions))})\?[^"]*"')
    for page in pages(outdir):
        text = page.read_text(encoding="utf-8")
        page.write_text(
            named.sub(lambda found: f'/{found[1]}?v={versions[found[1]]}"', text), encoding="utf-8"
        )


def setup(app):
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it logs a message for each letter
    when_written(app, _cut_all, priority=800)  # once all files beside the pages are there
    return {"parallel_read_safe": True}

"""Sphinx extension: formulas are typeset by MathJax when the book is built, not in the reader's browser.

Pages get MathJax's own HTML with fonts beside them (and MathML for screen readers), so they are readable
at once, without a script. The e-book gets MathML; the PDF gets words beside each drawn formula. Without node
and node_modules (`npm ci`, which `make book` runs), pages load MathJax from Sphinx's usual address.
"""

import atexit
import functools
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
from pathlib import Path

from docutils import nodes
from sphinx.util.math import get_node_equation_number

from ldp_sphinx import MODULES, lean_formulas, when_written

TYPESETTER, SPEAKER = (Path(__file__).with_name(name) for name in ("typeset.js", "speak.js"))
MATHJAX = MODULES / "mathjax"
FONTS = "output/chtml/fonts/woff-v2"
_ids = itertools.count()


class Helper:
    """A program in a separate process; each request and each reply is a line of JSON."""

    def __init__(self, *command: str) -> None:
        # This is a file because a pipe that no one reads would fill up.
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints, text=True
        )

    def ask(self, **request) -> str:
        asked = next(_ids)
        try:
            print(json.dumps({"id": asked, **request}), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.complaints.seek(0)
            raise RuntimeError(
                f"{self.process.args} ended with status {self.process.wait()} on {request}:\n"
                f"{self.complaints.read()}"
            )
        reply = json.loads(line)
        if reply["id"] != asked:
            raise RuntimeError(
                f"{self.process.args} replied to request {reply['id']}, not to {asked}: {request}"
            )
        return reply["made"]

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate()
        self.complaints.close()


@functools.cache
def _helper(program: Path, process: int) -> Helper:
    """A helper for each process: Sphinx may fork to write pages, and two writers must not share a pipe."""
    helper = Helper("node", str(program))
    atexit.register(helper.close)
    return helper


def _ask(program: Path, **request) -> str:
    return _helper(program, os.getpid()).ask(**request)


@functools.cache
def typeset(tex: str, display: bool, form: str) -> str:
    """A formula as "chtml" or "mathml"; ValueError if MathJax cannot read it."""
    made = _ask(TYPESETTER, tex=tex, display=display, form=form)
    if "merror" in made:
        raise ValueError(f"MathJax cannot read {tex!r}: {made}")
    if form == "mathml":
        made = made.replace('<mo data-mjx-texclass="ORD"', '<mo lspace="0" rspace="0"')  # bars of |x|
        return re.sub(r' mathvariant="(double-struck|script|bold)">(\w)<', _letter, made)
    return lean_formulas.markup(made)


# The table of one cell that `split` puts around `aligned`.
_FRAME = re.compile(
    r"^(<math[^>]*>)\s*<mtable[^>]*>\s*<mtr>\s*<mtd>\s*(<mtable.*</mtable>)\s*</mtd>\s*</mtr>\s*</mtable>\s*(</math>)$",
    re.DOTALL,
)


# A formula of a page or of the e-book, whole and as the placeholder of `set_aside`.
_WHOLE = re.compile(r"<(mjx-container|math)\b.*?</\1>", re.DOTALL)
_SHORT = re.compile(r'<(mjx-container|math) data-formula="(\d+)">.*?</\1>', re.DOTALL)


@functools.cache
def words(mathml: str) -> str:
    """A formula in words, sign by sign; upright letters are read like other letters."""
    mathml = _FRAME.sub(r"\1\2\3", mathml.replace(' mathvariant="normal"', ""))
    said = _ask(SPEAKER, mathml=mathml).replace("down tack", "transpose")
    return " ".join(said.split())  # browsers normalize accessible names too


def set_aside(markup: str) -> tuple[str, list[str]]:
    """The markup with each formula replaced by a placeholder with its text, and the formulas.

    A formula has hundreds of elements that do not matter for arranging a page, and parsing them took most of
    the time.
    """
    formulas: list[str] = []

    def short(formula: re.Match[str]) -> str:
        formulas.append(formula[0])
        words = re.sub(r"<[^>]*>", "", formula[0])
        return f'<{formula[1]} data-formula="{len(formulas) - 1}">{words}</{formula[1]}>'

    return _WHOLE.sub(short, markup), formulas


def put_back(markup: str, formulas: list[str]) -> str:
    """The markup with the formulas that were set aside, where their placeholders are still there."""
    return _SHORT.sub(lambda short: formulas[int(short[2])], markup)


def _letter(match: re.Match) -> str:
    """A styled letter as a Unicode character, the form that browsers support since MathML Core."""
    style, letter = match[1].upper(), unicodedata.name(match[2]).replace("LATIN ", "").replace("LETTER ", "")
    try:
        return f">{unicodedata.lookup(f'MATHEMATICAL {style} {letter}')}<"
    except KeyError:  # a few, such as the reals' R, are older than their alphabet
        return f">{unicodedata.lookup(f'{style} {letter}')}<"


def _inline(translator, node, form: str) -> None:
    made = typeset(node.astext(), False, form)
    translator.body.append(translator.starttag(node, "span", "", CLASS="math notranslate") + made + "</span>")
    raise nodes.SkipNode


def _block(translator, node, form: str) -> None:
    tex = node.astext()
    if r"\\" in tex and not node.get("nowrap"):  # as Sphinx writes it for MathJax in the browser
        tex = rf"\begin{{split}}{tex}\end{{split}}"
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(typeset(tex, True, form) + "</div>\n")
    raise nodes.SkipNode


def available() -> bool:
    return shutil.which("node") is not None and MATHJAX.is_dir()


def _choose(app, config):
    config.html_math_renderer = "chtml" if available() else "mathjax"
    if available():
        app.add_css_file("mathjax/chtml.css")


def _copy(app, outdir: Path) -> None:
    if available():
        static = outdir / "_static" / "mathjax"
        shutil.copytree(MATHJAX / "es5" / FONTS, static / FONTS, dirs_exist_ok=True)
        shutil.copy2(MATHJAX / "LICENSE", static)
        sheet = lean_formulas.sheet(_ask(TYPESETTER, form="css"))
        (static / "chtml.css").write_text(sheet, encoding="utf-8")


def setup(app):
    for form in ("chtml", "mathml"):
        app.add_html_math_renderer(
            form, (functools.partial(_inline, form=form), None), (functools.partial(_block, form=form), None)
        )
    app.connect("config-inited", _choose)
    when_written(app, _copy)
    return {"parallel_read_safe": True}

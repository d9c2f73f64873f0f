"""Sphinx extension: ``{trust}`` draws who sees what in a protocol, and where trust ends.

The directive's argument is the caption. Its content is a YAML list, from top to bottom, of participants
(``who``, ``sees`` and an ``icon``), of what they send (``sends``) and of ``trust ends``. The drawing and its
alternative text are made from the same lines.
"""

from html import escape
from textwrap import wrap
from typing import Any

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

WIDTH, LEFT, LETTERS, LINE = 360, 66, 46, 15  # of the drawing; text: left edge, letters per line, line height
# Icons are drawn around the origin.
_PERSON = '<circle cx="{x}" cy="-6" r="5"/><path d="M{left} 11c0-9 4-12 9-12s9 3 9 12z"/>'
ICONS = {
    "person": _PERSON.format(x=0, left=-9),
    "crowd": "".join(_PERSON.format(x=x, left=x - 9) for x in (-13, 13)) + _PERSON.format(x=0, left=-9),
    "server": "".join(f'<rect x="-11" y="{y}" width="22" height="7" rx="2"/>' for y in (-12, -3, 6)),
    "house": '<path d="M-13 -1L0 -13L13 -1V12H-13z"/>'
    '<path class="hole" d="M-2 9V5H-6V1H-2V-3H2V1H6V5H2V9z"/>',
    "page": '<path d="M-8 -12H4L9 -7V12H-8z"/><path class="hole" d="M-5 -3H6V-1H-5zM-5 2H6V4H-5z"/>',
}
Step = dict[str, str] | str


def faults(steps: Any) -> str:
    """What a faulty list of steps should be; an empty string if there is no fault."""
    if not isinstance(steps, list) or steps.count("trust ends") != 1:
        return "a list of steps with 'trust ends' once"
    for step in steps:
        known = step == "trust ends" or set(step) in ({"who", "sees", "icon"}, {"sends"})
        if not known or (set(step) >= {"icon"} and step["icon"] not in ICONS):
            return f"'who', 'sees' and an icon of {', '.join(ICONS)}; or 'sends'; or 'trust ends'; not {step}"
    return ""


def words(steps: list[Step]) -> str:
    """The protocol in words, one sentence per step."""

    def told(step: Step) -> str:
        if step == "trust ends":
            return "Here trust ends."
        return f"What is sent: {step['sends']}." if "sends" in step else f"{step['who']}: {step['sees']}."

    return " ".join(map(told, steps))


def _text(lines: list[str], y: float, kind: str) -> str:
    return "".join(
        f'<text class="{kind}" x="{LEFT}" y="{y + LINE * k:g}">{escape(line)}</text>'
        for k, line in enumerate(lines)
    )


def drawing(steps: list[Step]) -> str:
    """The protocol as SVG: a box for each participant, and an arrow for each message."""
    parts, y, start = [], 4.0, 0.0
    for step in steps:
        if step == "trust ends":
            parts.append(
                f'<path class="trust-line" d="M4 {y + 10:g}H{WIDTH - 4}"/>'
                f'<text class="trust-end" x="{WIDTH - 4}" y="{y + 5:g}">here trust ends</text>'
            )
            y += 22
        elif "sends" in step:
            lines = wrap(step["sends"], LETTERS)
            parts.append(_text(lines, y + 17, "trust-sent"))
            y += 12 + LINE * len(lines)
        else:
            if start:
                parts.append(f'<path class="trust-arrow" d="M34 {start:g}V{y:g}m-4 -7l4 7l4 -7"/>')
            lines = wrap(step["sees"], LETTERS)
            height = 30 + LINE * len(lines)
            middle = f"translate(34 {y + height / 2:g})"
            parts.append(
                f'<rect class="trust-box" x="4" y="{y:g}" width="{WIDTH - 8}" height="{height:g}" rx="6"/>'
                f'<g class="trust-icon" transform="{middle}">{ICONS[step["icon"]]}</g>'
                + _text([step["who"]], y + 18, "trust-who")
                + _text(lines, y + 18 + LINE, "trust-sees")
            )
            y += height
            start = y
    return (
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 4:g}" role="img"'
        f' aria-label="{escape(words(steps))}">{"".join(parts)}</svg>'
    )


def emblem(steps: list[Step]) -> str:
    """Who takes part, as a row of icons with the line between those inside trust and the others."""
    made, x = [], 0
    for step in steps:
        if step == "trust ends":
            made.append(f'<path class="trust-line" d="M{x + 6} 2V34"/>')
            x += 12
        elif "icon" in step:
            made.append(f'<g class="trust-icon" transform="translate({x + 26} 18)">{ICONS[step["icon"]]}</g>')
            x += 52
    size = f'viewBox="0 0 {x} 36" width="{x}" height="36"'
    return f'<svg class="emblem" {size} aria-hidden="true">{"".join(made)}</svg>'


class Trust(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self):
        steps = yaml.safe_load("\n".join(self.content))
        if wrong := faults(steps):
            raise self.error(f"{{trust}} takes {wrong}")
        caption = f"<figcaption>{escape(self.arguments[0])}</figcaption>"
        return [nodes.raw("", f'<figure class="trust">{drawing(steps)}{caption}</figure>', format="html")]


def setup(app):
    app.add_directive("trust", Trust)
    return {"parallel_read_safe": True}

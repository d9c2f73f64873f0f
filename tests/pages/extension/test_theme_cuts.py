"""What the theme's pages lose, and what they get in its place."""

import pytest
from ldp_sphinx.theme_cuts import name_buttons


def test_button_has_a_name_and_a_title(tmp_path):
    link = '<a href="#"\n class="btn btn-sm"\n title="Slides">'
    labelled = '<button class="btn" aria-label="Search" title="Find">'
    others = f'<a class="reference" title="Book">y</a>{labelled}<button hidden>'
    page = tmp_path / "page.html"
    page.write_text(f'<button class="btn" data-bs-title="Colour">x</button>{link}{others}', encoding="utf-8")
    name_buttons([page])
    assert page.read_text(encoding="utf-8") == (
        '<button class="btn" title="Colour" aria-label="Colour">x</button>'
        f'{link[:-1]} aria-label="Slides">{others}'
    )
    with pytest.raises(RuntimeError, match="adapt or remove"):
        name_buttons([page])  # nothing is left to name

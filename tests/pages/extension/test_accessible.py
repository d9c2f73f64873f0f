"""What assistive technology gets of tables and headings, on a page of a few lines."""

from ldp_sphinx.accessible import mend

TABLE = (
    '<table class="dataframe"><thead><tr style="x"><th></th><th>error</th></tr></thead>'
    "<tbody><tr><th>LP</th><td>1</td></tr></tbody></table>"
)


def test_headings_of_a_table_say_what_they_head_and_it_scrolls_in_a_box():
    made = mend(f"<p>before</p>{TABLE}<p>between</p>{TABLE}")
    assert made.count('<div class="table-box"><table class="dataframe">') == made.count("</table></div>") == 2
    assert made.count('<th scope="col">error</th>') == made.count("<th scope=") / 2 == 2
    assert made.count("<td></td>") == 2  # the corner heads nothing
    assert made.count('<th scope="row">LP</th>') == 2
    assert made.count("<thead>") == 2
    assert "<p>between</p>" in made


def test_a_heading_with_an_empty_paragraph_is_none():
    assert "<th" not in mend('<table><tr><th class="head"><p></p></th></tr></table>')


def test_a_scope_that_is_there_stays():
    assert mend('<table><tr><th scope="colgroup">x</th></tr></table>').count("scope=") == 1


def test_the_sign_beside_a_heading_is_not_read_and_not_in_the_way():
    made = mend('<h2>Title<a class="headerlink" href="#t" title="Link">#</a></h2>')
    assert '<a class="headerlink" aria-hidden="true" tabindex="-1" href="#t"' in made


def test_citations_promise_no_list():
    entry = '<div class="citation" id="id1" role="doc-biblioentry">x</div>'
    made = '<div class="citation" id="id1">x</div>'
    assert mend(f'<div role="list" class="citation-list">{entry}</div>') == f"<div>{made}</div>"

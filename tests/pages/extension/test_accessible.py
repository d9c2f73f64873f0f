"""Tables and headings as assistive technology gets them, on a page of a few lines."""

from ldp_sphinx.accessible import mend

TABLE = (
    '<table class="dataframe"><thead><tr style="x"><th></th><th>error</th></tr></thead>'
    "<tbody><tr><th>LP</th><td>1</td></tr></tbody></table>"
)


def test_table_headings_have_scope_and_tables_scroll():
    made = mend(f"<p>before</p>{TABLE}<p>between</p>{TABLE}")
    assert made.count('<div class="table-box"><table class="dataframe">') == made.count("</table></div>") == 2
    assert made.count('<th scope="col">error</th>') == made.count("<th scope=") / 2 == 2
    assert made.count("<td></td>") == 2  # the corner cell heads nothing
    assert made.count('<th scope="row">LP</th>') == 2
    assert made.count("<thead>") == 2
    assert "<p>between</p>" in made


def test_heading_with_empty_paragraph_becomes_plain_cell():
    assert "<th" not in mend('<table><tr><th class="head"><p></p></th></tr></table>')


def test_a_scope_that_is_there_stays():
    assert mend('<table><tr><th scope="colgroup">x</th></tr></table>').count("scope=") == 1


def test_heading_sign_is_hidden_and_unfocusable():
    made = mend('<h2>Title<a class="headerlink" href="#t" title="Link">#</a></h2>')
    assert '<a class="headerlink" aria-hidden="true" tabindex="-1" href="#t"' in made


def test_citations_have_no_list_role():
    entry = '<div class="citation" id="id1" role="doc-biblioentry">x</div>'
    made = '<div class="citation" id="id1">x</div>'
    assert mend(f'<div role="list" class="citation-list">{entry}</div>') == f"<div>{made}</div>"


def test_printed_sentences_break_and_columns_do_not():
    start = '<div class="output stream highlight-myst-ansi"><div class="highlight"><pre><span></span>'
    sentence, columns = (
        f"{start}{text}\n</pre></div>\n</div>" for text in ("an error of 2", "error  2\nbias   1")
    )
    made = mend(sentence + columns)
    assert made == sentence.replace("output stream", "output stream sentences") + columns

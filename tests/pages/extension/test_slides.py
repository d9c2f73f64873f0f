"""A small page of a chapter, cut into slides."""

import re

import pytest
from bs4 import BeautifulSoup
from ldp_sphinx.slide_pieces import (
    CLAIMS,
    CODE,
    JUDGED,
    PRINT,
    ROWS,
    STATEMENT,
    Slide,
    cell,
    figure,
    gist,
    headline,
    proof,
    sentences,
    statement,
    summary,
    tables,
)
from ldp_sphinx.slides import column, deck
from ldp_sphinx.typeset import available
from ldp_sphinx.written_slides import inline

PAGE = """<section id="t"><h1>Title<a class="headerlink" href="#t">#</a></h1>
<p><strong>What you will be able to do</strong></p><ul><li>count</li></ul>
<section id="s"><h2>1.1. One idea</h2><p><em>Why?</em></p><p>Because of <a href="#s">this</a>. So</p>
<div class="math" id="equation-x">x</div><p>Said only.</p>
<section class="live-panel"><table><tbody><tr><td>Move</td></tr></tbody></table></section>
<p>By hand, 2 and 2 are 4.</p></section>
<section id="v"><h2>1.2. Verdict</h2><p>At last.</p>
<div class="tip admonition"><p class="admonition-title">Summary</p>
<ul><li><p>It holds. For all.</p></li></ul></div></section>
<section id="exercises"><h2>1.3. Exercises</h2><p>Try.</p><div class="exercise admonition">
<p class="admonition-title">Exercise 1  (Sum)</p><section>Add.</section></div>
<div class="solution admonition">4</div></section>
<section id="check-yourself"><h2>1.4. Check yourself</h2>
<p><strong>1. Q?</strong></p>
<details><summary><span class="sd-summary-text">Yes</span></summary>
<div class="sd-card-body"><p>No. B.</p></div></details>
<details><summary><span class="sd-summary-text">Never</span></summary>
<div class="sd-card-body"><p>Right. A.</p></div></details></section></section>"""


def tag(html: str):
    return next(BeautifulSoup(html, "html.parser").children)


def test_deeper_section_is_in_the_preceding_notes():
    folded = """<section id="d"><h2>1.2. Peers</h2><details class="deeper">
<summary><span>Who?</span></summary>
<p>Two others.</p><div class="cell"><pre>x = 1</pre></div><section><h3>One</h3><p>A third.</p></section>
</details></section>"""
    columns = deck(PAGE.replace('<section id="v">', folded + '<section id="v">'), "chapter.html", []).all
    assert [slide for slides in columns for slide in slides if "Peers" in slide.shown] == []
    said = " ".join(columns[1][-1].said)
    assert "1.2. Peers" in said
    assert "Who?" in said
    assert "Two others." in said
    assert "A third." in said
    assert "x = 1" not in said
    assert "<section" not in said


def test_heading_text_is_escaped():
    told = "&lt;script&gt;x()&lt;/script&gt;"
    title, _, _, columns = deck(PAGE.replace("Title", told).replace("One idea", told), "chapter.html", [])
    assert told in title
    for first, *_ in columns[:2]:
        assert told in first.above
        assert "<script>" not in first.above + first.shown


def test_formulas_are_restored_in_slides_and_notes():
    shown, said = (
        f'<mjx-container jax="CHTML"><mjx-math><mjx-mi class="mjx-{name}"></mjx-mi></mjx-math>'
        f"<mjx-mml><math><mi>{name}</mi></math></mjx-mml></mjx-container>"
        for name in ("&lt;", "n")
    )
    page = PAGE.replace(">x</div>", f">{shown}</div>")
    page = page.replace("Said only", f"Said <span>{said}</span>,")
    columns = deck(page, "chapter.html", []).all
    slides = [slide for column in columns for slide in column]
    assert [slide.shown.count(shown) for slide in slides if "mjx" in slide.shown] == [1]
    (told,) = [told for slide in slides for told in slide.said if "math" in told]
    assert "<math><mi>n</mi></math></span>" in told or "<math><mi>n</mi></math>,</span>" in told
    assert "mjx" not in told
    assert "data-formula" not in "".join(slide.shown + "".join(slide.said) for slide in slides)


def test_deck_has_a_column_for_each_section():
    title, subtitle, ten, columns = deck(PAGE, "chapter.html", [])
    assert (title, subtitle, ten) == ("Title", "", [])
    (goals,), (opening, formula, example), (points,), (exercises,), (question,) = columns
    assert "<li>count</li>" in goals.shown
    assert opening.shown == "<h2>1.1. One idea</h2><p class='question'>Why?</p>"
    assert opening.above == "<a href='chapter.html#s'>1.1. One idea</a>"
    assert 'href="chapter.html#s"' in "".join(opening.said)  # the link to the page is in the notes
    assert formula.shown == "<p class='message'>So</p><div class=\"math\">x</div>"
    assert formula.said == ["<p>Said only.</p>"]
    assert example.shown == "<p>By hand, 2 and 2 are 4.</p>"
    assert points.said[0] == "<p>At last.</p>"  # text before the first slide
    assert exercises.shown == "<h2>1.3. Exercises</h2><ul><li>Exercise 1 (Sum)</li></ul>"
    assert exercises.said == ["<p>Try.</p>"]
    choices = "<ol type='A'><li>Yes</li><li>Never</li></ol>"
    assert question.shown == f"<h2>1.4. Check yourself</h2><p class='question'>1. Q?</p>{choices}"
    assert question.said == ["<p>Yes</p><p>No. B.</p>", "<p>Never</p><p>Right. A.</p>"]
    assert not re.search(r"\bid=", "".join(slide.shown for column in columns for slide in column))


def test_claim_is_shown_at_its_last_verdict():
    judged = "<div class='cell'><table class='claims'><tbody><tr><td>One</td></tr>{}</tbody></table></div>"
    sections = (
        f"<section id='{place}'><h2>{place}</h2><p><em>So?</em></p>{judged.format(more)}</section>"
        for place, more in (("a", "<tr><td>Two</td></tr>"), ("b", ""))
    )
    columns = deck(
        f"<section id='c'><h1>C</h1><ul><li>see</li></ul>{''.join(sections)}</section>", "c.html", []
    ).all
    (_, first), (_, second) = columns[1:]
    assert ("One" in first.shown, "Two" in first.shown, "One" in second.shown) == (False, True, True)


def test_the_speaker_gets_formulas_as_mathml():
    math = "<math><mi>p</mi></math>"
    formula = f"<mjx-container><mjx-mi></mjx-mi><mjx-mml>{math}</mjx-mml></mjx-container>"
    text = f"<p><em>Is <span>{formula}</span>, or not?</em> Yes, {formula}.</p>"
    page = f"<section><h1>C</h1><ul></ul><section id='s'><h2>S</h2>{text}</section></section>"
    ((slide,),) = deck(page, "c.html", []).all[1:]
    assert slide.said == [
        "<p><em>Is <span><math><mi>p</mi></math></span>, or not?</em> Yes, <math><mi>p</mi></math>.</p>"
    ]
    assert "</mjx-container>,</span> or not?" in slide.shown  # no line starts with the comma


def test_sentences_end_outside_of_formulas_and_links():
    paragraph = (
        "<p>At 0.5 it is <b>so. But</b> no. <i>x</i> is &lt; 1. (As said.) End: <a>et al. A</a> say.</p>"
    )
    assert sentences(tag(paragraph)) == [
        "At 0.5 it is <b>so. But</b> no.",
        "<i>x</i> is &lt; 1.",
        "(As said.)",
        "End: <a>et al. A</a> say.",
    ]
    first = tag(f"<p>{'a' * 50}. {'B' * 50}. {'C' * 50}.</p>")
    assert gist([first], 60) == f"<p> {'a' * 50}. …</p>"
    assert gist([first], 200) == f"<p>{'a' * 50}. {'B' * 50}. {'C' * 50}.</p>"


def test_a_long_lead_gives_way_to_the_heading():
    assert headline(tag("<p>Long. Short:</p>"), "Heading") == "<p class='message'>Short:</p>"
    for lead in (None, tag(f"<p>{'a' * 300}</p>")):
        assert headline(lead, "Heading") == "<h2>Heading</h2>"


def theorem(*content: str):
    return tag(f"<div class='theorem'><p class='admonition-title'>T 1</p><div>{''.join(content)}</div></div>")


LONG = f"<p>{'a' * STATEMENT}. Hence</p>"
X, Y = "<div class='math'>x</div>", "<div class='math'>y</div>"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (["<p>If so,</p>", X, "<p>then so.</p>"], ["<p>If so,</p>" + X + "<p>then so.</p>"]),
        ([LONG, X, "<p>then so.</p>"], ["<p>Hence</p>" + X]),
        (["<p>If so,</p>", X, "<p>and</p>", Y], ["<p>If so,</p>" + X, "<p>and</p>" + Y]),
        ([LONG], [f"<p> {'a' * STATEMENT}. …</p>"]),
        (["<ol><li><p>One</p></li></ol>", X, Y], ["<p>One</p>" + X, Y]),
    ],
)
def test_statement_is_whole_or_formulas_or_beginning(content, shown):
    slides = statement(theorem(*content))
    plain = [slide.shown.replace('"', "'") for slide in slides]
    for part, slide in zip(shown, plain, strict=True):
        assert part in slide
        assert "<p class='name'>T 1</p>" in slide
    whole = len(shown) == 1 and "then" in shown[0]
    assert bool(slides[0].said) != whole  # omitted lines are mentioned


def test_proof_shows_first_and_last_formula():
    stated = Slide("theorem")
    middle = "<div class='math'>between</div>"
    block = tag(f"<div class='proof'><p>Words. First,</p>{X}{middle}<p>so</p>{Y}<p>Done.</p></div>")
    first, last = proof(block, [stated])
    assert "<p>First,</p>" in first.shown
    assert "<p>so</p>" in last.shown
    assert "between" not in first.shown + last.shown
    assert "Words." in stated.said[0]
    assert len(proof(tag(f"<div>{X}</div>"), [stated])) == 1
    assert proof(tag("<div><p>Words only.</p></div>"), [stated]) == []


def test_a_summary_shows_first_sentences():
    block = tag("<div><p>Summary</p><ul><li><p>One. More.</p></li><li><p>Two.</p></li></ul></div>")
    (slide,) = summary(block)
    assert slide.shown == "<h2>Summary</h2><ul><li>One.</li><li>Two.</li></ul>"
    assert "More." in slide.said[0]


def executed(code: str = "", printed: str = "", more: str = ""):
    shown = f"<div class='cell_input'><div class='highlight'><pre>{code}</pre></div></div>" if code else ""
    return tag(
        f"<div class='cell'>{shown}<div class='cell_output'><pre>{printed}</pre>{more}</div></div>".replace(
            "<pre></pre>", ""
        )
    )


def test_short_code_is_shown_and_long_code_omitted():
    (short,) = cell(executed("x\n" * CODE, "2"), "above")
    assert short.shown.startswith("above<div class=")
    assert short.shown.endswith("<pre class='printed'>2</pre>")
    (long,) = cell(executed("x\n" * (CODE + 1), "2\n3"), "above")
    assert long.shown == "above<pre class='printed'>2\n3</pre>"
    assert cell(executed("x = 2"), "above") == []
    assert "def f" in cell(executed("def f(x):"), "above")[0].shown


def test_long_output_is_cut_and_long_lines_broken():
    (slide,) = cell(executed(printed="".join(f"line {k}\n" for k in range(PRINT + 1))), "")
    assert slide.shown.count("line") == PRINT
    assert slide.shown.endswith("\n…</pre>")
    (slide,) = cell(executed(printed=f"a  b &lt; {'c ' * 60}"), "")
    first, second = tag(slide.shown).get_text().splitlines()
    assert first.startswith("a  b < c")
    assert second.startswith("    ")


def test_figure_is_alone_below_its_message():
    caption = "<b>Fig. 1</b> <span class='caption-text'>It falls. Slowly.</span>"
    picture = "<span><img src='x.svg' alt='A curve.' style='min-width: 9px'></span>"
    drawn = f"<figure>{picture}<figcaption><p>{caption}</p></figcaption></figure>"
    (slide,) = cell(executed("draw()", more=drawn), "above")
    assert slide.shown == '<p class=\'message\'>It falls.</p><img alt="A curve." src="x.svg"/>'
    assert "Slowly." in slide.said[0]
    words, _ = cell(executed("draw()", "2\n3", drawn), "")
    assert words.shown == "<pre class='printed'>2\n3</pre>"
    assert figure(tag("<figure><img src='x.svg'></figure>")).shown == '<img src="x.svg"/>'


def rows(kind: str, *texts: str):
    inside = "".join(f"<tr><td>{text}</td><td>1</td></tr>" for text in texts)
    head = "<thead><tr><th>what</th></tr></thead>"
    return tag(f"<table class='{kind}'>{head}<tbody>{inside}</tbody></table>")


def test_verdicts_take_as_many_slides_as_they_need():
    few = tables(rows("claims", *["Short.<small>At 1.</small>"] * (JUDGED + 1)), "")
    assert [slide.shown.count("Short.") for slide in few] == [JUDGED, 1]
    assert all("<th>what</th>" in slide.shown for slide in few)
    assert [slide.shown.count("At 1.") for slide in few] == [0, 0]
    assert "".join(few[0].said).count("At 1.") == JUDGED + 1
    long = tables(rows("claims", "a" * 300, "b" * 300, "c" * (CLAIMS - 300), "d" * 2 * CLAIMS), "")
    assert [slide.shown.count("<td>1</td>") for slide in long] == [1, 2, 1]
    assert tables(rows("claims"), "") == []


def test_a_long_table_is_cut_off():
    (slide,) = tables(rows("dataframe", *["row"] * (ROWS + 1)), "above")
    assert slide.shown.startswith("above<table class='data'>")
    assert slide.shown.count("row") == ROWS
    assert "…" in slide.shown
    assert "…" not in tables(rows("dataframe", *["row"] * ROWS), "")[0].shown


def test_table_is_shown_without_its_call():
    (slide,) = cell(executed("ledger.table()", more=str(rows("claims", "So."))), "")
    assert "ledger.table" not in slide.shown
    words, table = cell(executed("ledger.table()", "2", str(rows("claims", "So."))), "")
    assert "ledger.table" in words.shown
    assert "So." in table.shown


def test_lone_line_of_output_is_no_slide():
    long = "x\n" * (CODE + 1)
    assert cell(executed(long, "2"), "above") == []
    (table,) = cell(executed(long, "Shares:", str(rows("dataframe", "one"))), "above")
    assert table.shown.startswith("above<pre class='printed'>Shares:</pre><table")
    (drawn,) = cell(executed(long, "2", "<figure><img src='x.svg'></figure>"), "above")
    assert drawn.shown == '<img src="x.svg"/>'
    assert drawn.said == ["<pre class='printed'>2</pre>"]


def test_box_does_not_separate_text_from_code():
    words = "<p>Count first:</p>"
    box = "<div class='admonition'><p class='admonition-title'>For study</p><p>Why.</p></div>"
    code = "<div class='cell'><table><tbody><tr><td>1</td></tr></tbody></table></div>"
    theorem = box.replace("'admonition'", "'proof theorem admonition'")
    shown = [
        column(tag(f"<section>{words}{between}{code}</section>"), "Use it")[-1].shown
        for between in (box, theorem)
    ]
    assert shown[0].startswith("<p class='message'>Count first:</p>")
    assert shown[1].startswith("<h2>Use it</h2>")


LECTURE = """<section id="t"><h1>Title</h1><p><em>And subtitle</em></p><p>A story of 7,000 people.</p>
<ul></ul><section id="s"><h2>1.1. Two</h2><p>Before.</p>
<div class="cell"><div class="cell_input">x = 12.5</div>
<figure id="fig-x"><img src="x.svg"><span class="caption-text">It falls.</span></figure></div>
<p>Between.</p>
<div class="theorem" id="thm-y"><p class="admonition-title">T 1</p><section class="theorem-content">
<p>If so, then</p><div class="math" id="equation-eq-y">y</div></section></div>
<div class="proof"><p>Obviously different.</p></div></section>
<section id="d"><h2>1.2. Folded</h2><details class="deeper"><summary>Why?</summary><p>It is 3.25.</p>
<div class="steps"><div class="step"><p>First</p>
<div class="cell"><figure id="fig-step"><img src="1.svg"></figure></div></div></div>
</details></section>
<section id="check-yourself"><h2>1.3. Check yourself</h2><p><strong>1. Q?</strong></p>
<details><summary><span class="sd-summary-text">Yes</span></summary><div class="sd-card-body"></div></details>
</section></section>"""


def lecture(*entries: dict):
    return deck(LECTURE, "c.html", [{"says": "It is so.", **entry} for entry in entries])


def test_written_slide_is_headline_above_evidence():
    made = lecture({"shows": "fig-x", "punch": True}, {"shows": "thm-y"}, {"shows": "eq-y"}, {"number": "7"})
    assert made.subtitle == "And subtitle"
    (drawn,), (stated,), (formula,), (number,), (question,) = made.ten
    assert drawn.shown == "<h2 class='headline punch'>It is so.</h2><img src=\"x.svg\"/>"
    assert "<p class='name'>T 1</p>" in stated.shown
    assert "<p>If so, then</p>" in stated.shown
    assert formula.shown == "<h2 class='headline'>It is so.</h2><div class=\"math\">y</div>"
    assert number.shown.endswith("<p class='number'>7</p>")
    assert "1. Q?" in question.shown
    assert "id=" not in "".join(slide.shown + "".join(slide.said) for (slide,) in made.ten)


def test_written_slide_has_the_prose_around_its_thing():
    (drawn,), (stated,), _ = lecture({"shows": "fig-x", "ask": "Ann's?"}, {"shows": "thm-y"}).ten
    assert drawn.said == [
        "<p><strong>Ask: Ann’s?</strong></p>",
        "<p>Before.</p>",
        "<p>It falls.</p>",
        "<p>Between.</p>",
    ]
    assert stated.above == "<a href='c.html#s'>1.1. Two</a>"
    assert "Obviously different." in stated.said[-1]


@pytest.mark.parametrize(
    ("entry", "link"),
    [
        ({"number": "7,000"}, "c.html"),
        ({"number": "7,000", "says": "This is obviously different."}, "c.html"),
        ({"number": "12.5"}, "c.html#s"),
        ({"number": "3.25"}, "c.html#d"),
        ({"number": "1", "says": "This is obviously so."}, "c.html#s"),
        ({"shows": "fig-step"}, "c.html#d"),
    ],
)
def test_written_slide_leads_to_its_place(entry, link):
    assert f"'{link}'" in lecture(entry).ten[0][0].above


def test_written_notes_have_no_pictures_of_steps():
    ((slide,), _) = lecture({"shows": "fig-step"}).ten
    assert "1.svg" in slide.shown
    assert slide.said == ["<p><em>Why?</em></p>", "<p>It is 3.25.</p>", "<p>First</p>"]


def test_number_found_nowhere_stays_at_its_predecessor():
    _, (lost,), _ = lecture({"shows": "fig-step"}, {"number": "99", "says": "No?"}).ten
    assert "'c.html#d'" in lost.above


def test_machine_deck_is_the_same_beside_written_slides():
    plain, both = lecture(), lecture({"shows": "fig-x"})
    assert plain.ten == []
    shown = [[(slide.shown, slide.said) for slides in made.all for slide in slides] for made in (plain, both)]
    assert shown[0] == shown[1]
    assert "1.svg" not in str(shown)  # steps have too many pictures to show them here


@pytest.mark.skipif(not available(), reason="formulas are typeset by node")
def test_headline_formulas_are_typeset():
    made = inline("A < B's $x<1$, or $y$.")
    assert made.startswith("A &lt; B’s <span class='math notranslate'><mjx-container")
    assert made.count("<mjx-container") == 2
    assert "$" not in made

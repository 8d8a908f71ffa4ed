"""The text to embed: readable, whole, and within the limit if tokens are reserved."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest
from case_files import each_row
from chunking.makers import WORDS, block, document, html_table, table, tag, words
from examples import some
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from docxchunk.chunking import ChunkLimits, P, PStaged, R, run
from docxchunk.content.pipe_tables import readable
from docxchunk.content.table_texts import first_rows, header_rows
from docxchunk.content.tables import tables
from docxchunk.content.tags import drawing_tag, equation_tag, unescape_text
from docxchunk.lab.strategies.lgmgc import MG
from docxchunk.model.chunks import Chunk, TableForm
from docxchunk.model.options import SMALLEST
from docxchunk.testing import ADDITIVE, hypothesis_strategies

LAW = settings(max_examples=some(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
TABLE = re.compile(r'<table(?: id="[^"]*" format="(json|html)")?>(.*?)</table>', re.DOTALL)
MARKUP = re.compile(
    r"<drawing [^>]*>|</?(?:equation|sup|sub|del|table|thead|tbody|tr|td|th|br)\b[^<>]*>"
)


class Commas:
    """Counts the separators of the readable form, but not those of JSON."""

    name = "commas"
    fingerprint = "test:commas"
    additive_over_newlines = True

    def count(self, text: str) -> int:
        return len(re.findall(r"[^\W_]+|;", text))


def visible(content: str) -> str:
    """Return the letters and digits that people see, read by other means than the code."""
    at, text = 0, ""
    for found in TABLE.finditer(content):
        rows = (
            " ".join(str(cell) for row in json.loads(found[2]) for cell in row)
            if found[1] == "json"
            else html.unescape(MARKUP.sub("", found[2]))
        )
        text += content[at : found.start()] + rows
        at = found.end()
    text += content[at:]
    return "".join(filter(str.isalnum, unescape_text(MARKUP.sub("", text))))


def is_within(part: str, whole: str) -> bool:
    """Return whether `whole` has the characters of `part` in the same order."""
    rest = iter(whole)
    return all(character in rest for character in part)


def limits_of(sizes):
    return st.builds(
        lambda size, form, reserve: ChunkLimits(
            size, 0, tables=form, reserve=min(reserve, size - SMALLEST)
        ),
        sizes,
        st.sampled_from([TableForm.JSON, TableForm.JSON, *TableForm]),
        st.integers(0, 60),
    )


STRATEGIES = st.sampled_from([P(), R()])
TOKENIZERS = st.sampled_from(
    [hypothesis_strategies.ADDITIVE, hypothesis_strategies.WHOLE, WORDS, Commas()]
)


@LAW
@given(
    hypothesis_strategies.DOCUMENTS,
    STRATEGIES,
    limits_of(st.integers(200, 2000)),  # so that all tags are whole
    TOKENIZERS,
)
def test_the_text_to_embed_shows_all_text_and_no_markup(made, strategy, limits, tokenizer):
    for chunk in run(made, strategy, limits, tokenizer).chunks:
        text = readable(chunk.content, chunk.table_heads, chunk.parts)
        assert chunk.embed_text == "\n\n".join(filter(None, (chunk.embed_header, text)))
        assert is_within(visible(chunk.content), "".join(filter(str.isalnum, text)))
        assert not re.search(r'"(?:tb|im|eq)-0-\d{4}"|format="(?:json|latex)"|\.assets/', text)


@LAW
@given(
    hypothesis_strategies.DOCUMENTS,
    STRATEGIES,
    limits_of(hypothesis_strategies.SIZES),
    TOKENIZERS,
)
def test_the_text_to_embed_is_within_the_limit_if_tokens_are_reserved(
    made, strategy, limits, tokenizer
):
    made = replace(made, title="The title of a report")
    for chunk in run(made, strategy, limits, tokenizer).chunks:
        assert chunk.tokens == tokenizer.count(chunk.content) <= limits.of_text().max_tokens
        assert not limits.reserve or tokenizer.count(chunk.embed_text) <= limits.max_tokens


ONE = tag(table("t1", [["Item", "Price"], ["Valve", "12"]]))
TWO = tag(table("t2", [["Name", "Size"], ["Pump", "7"], ["Pipe", "9"]]))


@pytest.mark.parametrize(
    ("content", "heads", "expected"),
    [
        ("a < b & c", (), "a < b & c"),
        ("&lt;table> and 10<sup>6</sup> m<sup>2</sup>", (), "<table> and 10^6 m2"),
        ("CO<sub>2</sub> <del>old</del>", (), "CO2 old"),
        (equation_tag("a < b", "eq-1"), (), "$$a < b$$"),
        (f"is {equation_tag('x')}.", (), "is $x$."),
        (
            drawing_tag("im-1", "png", 'Figure 1. The "valve"', "a.assets/1.png", ""),
            (),
            '[Picture: Figure 1. The "valve"]',
        ),
        (
            '<drawing id="im-1" caption="Figure 1" path="x.png" description="A dog." />',
            (),
            "[Picture: Figure 1. A dog.]",
        ),
        (tag(table("t", [["Item", "Price"], ["Valve", "12"]])), (0,), "Item; Price\nValve; 12"),
        (
            f"a\n{tag(table('t', [['Item', 'Price'], ['Valve', '12'], ['', '7']]))}\nb",
            (1,),
            "a\nItem; Price\nItem: Valve; Price: 12\nPrice: 7\nb",
        ),
        (
            tag(html_table("t", "<tr><td>A &amp; B</td><td>x<br>y</td></tr>", 1)) + "after",
            (),
            "A & B; x y\nafter",
        ),
        ('<table id="t" format="json">no rows</table>', (), "no rows"),
        ('<table id="t" format="json">no &amp;<br>rows &lt;td></table>', (), "no & rows <td>"),
        ("a <b> & &lt;b", (), "a <b> & &lt;b"),
        ("&lt;table &amp;lt;td", (), "<table &lt;td"),
        ("a<br>b <TD>c", (), "a b  c"),
        ("10<sup>6</sup>, 10<sup>-6</sup>, 10<sup>+6</sup>", (), "10^6, 10^-6, 10^+6"),
        ("x<sup>2</sup>, 10<sup>a</sup>, 10<sub>6</sub>", (), "x2, 10a, 106"),
        (
            f"&lt;td> {equation_tag('x')} &lt;td> {equation_tag('y')} &lt;td>",
            (),
            "<td> $x$ <td> $y$ <td>",
        ),
        (
            '<drawing id="im-1" caption="" path="x.png" description="A dog." />',
            (),
            "[Picture: A dog.]",
        ),
        ('<drawing id="im-1" caption="" path="x.png" />', (), "[Picture]"),
        (
            f"{ONE}\n{TWO}",
            (1,),
            "Item; Price\nItem: Valve; Price: 12\nName; Size\nPump; 7\nPipe; 9",
        ),
        (
            f"{ONE}\n{TWO}",
            (0, 1),
            "Item; Price\nValve; 12\nName; Size\nName: Pump; Size: 7\nName: Pipe; Size: 9",
        ),
        (
            f"{ONE}{TWO}",
            (1, 2),
            "Item; Price\nItem: Valve; Price: 12\nName; Size\nPump; 7\nName Pump: Pipe; Size 7: 9",
        ),
        (ONE, (2,), "Item; Price\nValve; 12"),
        (f"\n\na\n\n\n{ONE}\n\n\nb &lt;td\n", (), "a\nItem; Price\nValve; 12\nb <td"),
        ('a\n<table id="t" format="json">[]</table>\nb', (), "a\n[]\nb"),
        ('a\n<table id="t" format="json"></table>\nb', (), "a\nb"),
    ],
)
def test_readable(content, heads, expected):
    assert readable(content, heads) == expected


CELLS = st.sampled_from(("", "a", "1 | 2", "\\", "b\\|", "| |", "|---|", "&lt;td>", "&amp;", "x:"))
GRIDS = st.integers(1, 3).flatmap(
    lambda width: st.tuples(
        st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6),
        st.integers(0, 1),
    )
)


@LAW
@given(st.lists(GRIDS, min_size=1, max_size=3), st.sampled_from(("\n", "\n| a |\n|---|\n| 1 |\n")))
def test_the_text_to_embed_is_the_same_for_all_forms(grids, between):
    """Typed text that looks like a pipe table stays as it is."""
    made = [table(f"t{n}", rows, heads) for n, (rows, heads) in enumerate(grids)]
    source = document(block("H", between.join(map(tag, made))), tables=made)
    text, *others = (
        run(source, R(), ChunkLimits(2000, 0, tables=form), ADDITIVE).chunks[0].embed_text
        for form in (TableForm.JSON, TableForm.MARKDOWN, TableForm.HTML)
    )
    assert others == [text, text]


@each_row("content")
@pytest.mark.parametrize("form", [TableForm.JSON, TableForm.MARKDOWN, TableForm.HTML])
def test_names_that_span_columns_or_rows(form, header, names):
    row = "<tr><td>May</td><td>3</td><td>4</td></tr>"
    made = html_table("t", header + row, header.count("<tr>") + 1, header or row)
    source = document(block("H", tag(made)), tables=[made])
    (chunk,) = run(source, P(), ChunkLimits(300, 0, tables=form), WORDS).chunks
    assert chunk.embed_text.splitlines()[-1] == names


def test_pipe_tables_are_found_by_their_parts():
    """The author typed the same table before it; those lines stay."""
    made = table("t", [["Item", "Price"], ["Valve", "12"]], 1)
    typed = "| Item | Price |\n|---|---|\n| Valve | 12 |"
    source = document(block("H", f"{typed}\n{tag(made)}"), tables=[made])
    limits = ChunkLimits(150, 0, tables=TableForm.MARKDOWN)
    (chunk,) = run(source, P(), limits, WORDS).chunks
    assert chunk.content == f"# H\n{typed}\n\n{typed}"
    assert chunk.embed_text == f"# H\n{typed}\nItem; Price\nItem: Valve; Price: 12"
    assert Chunk.from_dict(chunk.to_dict()).embed_text == chunk.embed_text
    assert replace(chunk, content=typed.lower()).embed_text == typed.lower()
    assert replace(chunk, table_heads=()).embed_text == chunk.content  # of an older version
    assert replace(chunk, parts=chunk.parts[-1:]).embed_text == chunk.content


TABLES = st.lists(
    st.tuples(st.integers(1, 30), st.integers(0, 3), st.sampled_from((1, 7, 40))),
    min_size=1,
    max_size=4,
)
STRATEGIES = st.sampled_from(
    (P(), PStaged(), P(repeat_table_headers=False), P(guessed_headers=1), R(), MG())
)


@example([(6, 3, 40)], P(), 80)  # the header rows are cut
@given(TABLES, STRATEGIES, st.integers(40, 300))
@LAW
def test_table_heads_are_the_header_rows_that_tables_in_chunks_begin_with(sizes, strategy, limit):
    made = [
        table(
            f"t{n}",
            [[f"{n} cell {row}", words((row + 1) * most % 50)] for row in range(rows)],
            min(heads, rows),
        )
        for n, (rows, heads, most) in enumerate(sizes)
    ]
    body = "\n".join(text for one in made for text in (tag(one), words(9)))
    source = document(block("H", body), tables=made)
    for chunk in run(source, strategy, ChunkLimits(limit, 0), WORDS).chunks:
        heads = []
        for shown in tables(chunk.content):
            header = header_rows(source.tables[shown.id])
            rows = first_rows(shown, len(header))
            heads.append(len(header) if rows == header else 0)
        assert chunk.table_heads == (tuple(heads) if any(heads) else ())


def test_names_of_columns_are_left_out_where_they_do_not_fit():
    names = [f"A long name of column number {n}" for n in range(5)]
    made = table("t", [names, *([str(10 * n + k) for k in range(5)] for n in range(8))], 1)
    source = document(block("H", tag(made)), tables=[made])
    (free,) = run(source, P(), ChunkLimits(400, 0), WORDS).chunks
    with_names = WORDS.count(free.embed_text)
    (fitting,) = run(source, P(), ChunkLimits(with_names + 8, 0, reserve=8), WORDS).chunks
    (reserved,) = run(source, P(), ChunkLimits(with_names + 7, 0, reserve=8), WORDS).chunks
    assert fitting.embed_text == free.embed_text
    assert WORDS.count(reserved.embed_text) < with_names
    assert [one.table_heads for one in (free, fitting, reserved)] == [(1,), (1,), ()]
    assert "70; 71; 72; 73; 74" in reserved.embed_text


def test_a_document_whose_readable_form_is_longer_is_cut_again():
    made = table("t", [[f"{n}", "", f"{n}"] for n in range(60)])
    source = document(block("H", f"{words(30)}\n{tag(made)}\n{words(30)}"), tables=[made])
    stored = run(source, P(), ChunkLimits(96, 0), Commas()).chunks
    fitting = run(source, P(), ChunkLimits(96, 0, reserve=1), Commas()).chunks
    assert max(Commas().count(chunk.embed_text) for chunk in stored) > 96
    assert max(Commas().count(chunk.embed_text) for chunk in fitting) <= 96


HEAD = "<tr><th>Hill</th><th>Trees</th><th>Birds</th></tr>"
NORTH = "<tr><td>north</td><td>oak</td><td>owl</td></tr>"


@pytest.mark.parametrize(
    ("rows", "heads", "lines"),
    [
        # a cell over all columns has no name, nor has one that begins the row; others have several
        (f'{HEAD}<tr><td colspan="3">Old</td></tr>', 1, ["Old"]),
        (f'{HEAD}<tr><td colspan="2">Old</td><td>owl</td></tr>', 1, ["Old; Birds: owl"]),
        (
            f'{HEAD}<tr><td>Old</td><td colspan="2">rare</td></tr>',
            1,
            ["Hill: Old; Trees / Birds: rare"],
        ),
        # the header stands again between the rows
        (f"{HEAD}{HEAD}{NORTH}", 1, ["Hill; Trees; Birds", "Hill: north; Trees: oak; Birds: owl"]),
        (
            f"{HEAD}<tr><td>Hill</td><td>Trees</td><td>owl</td></tr>",
            1,
            ["Hill: Hill; Trees: Trees; Birds: owl"],
        ),
        # without names, cells keep their positions, but for columns without text
        (
            '["a","","","b"],["","","","c"],["d","e","",""]',
            0,
            ["a; -; b", "-; -; c", "d; e"],
        ),
        ('["",""]', 0, ["-"]),
        # a row that only repeats merged cells is left out, unless its texts are cut below it
        (
            f'{HEAD}<tr><td rowspan="2">north</td></tr><tr><td>oak</td><td>owl</td></tr>',
            1,
            ["Hill: north; Trees: oak; Birds: owl"],
        ),
        (
            f'{HEAD}<tr><td rowspan="2">{"word " * 13}x</td></tr><tr><td>oak</td></tr>',
            1,
            [f"Hill: {'word ' * 13}x", f"Hill: {'word ' * 11}word…; Trees: oak"],
        ),
        (
            f'{HEAD}<tr><td rowspan="2">north</td><td>elm</td></tr><tr><td>oak</td></tr>',
            1,
            ["Hill: north; Trees: elm", "Hill: north; Trees: oak"],
        ),
        # so is one whose cells all begin above
        (f'{HEAD}<tr><td rowspan="3">north</td></tr><tr></tr><tr></tr>', 1, ["Hill: north"]),
    ],
)
def test_what_a_row_says(rows, heads, lines):
    is_html = rows.startswith("<")
    body = rows if is_html else f"[{rows}]"
    content = f'<table id="t" format="{"html" if is_html else "json"}">{body}</table>'
    assert readable(content, [heads]).split("\n")[heads:] == lines


@pytest.mark.parametrize(("form", "shown"), [(TableForm.JSON, True), (TableForm.TEXT, False)])
@pytest.mark.parametrize("is_marked", [True, False])
def test_names_of_columns_without_room_stand_before_the_rows(form, shown, is_marked):
    names = [words(12, "a"), words(12, "b")]
    made = table("t", [names, *([words(5), words(5)] for _ in range(8))], header_rows=1)
    if not is_marked:
        made = replace(made, header=None, header_guess=made.header, header_confidence=0.9)
    limits = ChunkLimits(40, 0, tables=form)
    found = run(document(block("Trees", tag(made)), tables=[made]), R(), limits, WORDS)
    line = f"Trees\n{'; '.join(names)}" if shown else "Trees"
    assert found.chunks[1].embed_header == line


@pytest.mark.parametrize(("size", "left_out"), [(64, ["Oaks and elms; north"]), (90, [])])
def test_names_of_groups_and_merged_cells_without_room_stand_before_the_row(size, left_out):
    rows = [
        '<tr><td colspan="2">Oaks and elms</td></tr>',
        f'<tr><td rowspan="3">north</td><td>{words(10)}</td></tr>',
        *[f"<tr><td>{words(10)}</td></tr>"] * 2,
    ]
    made = html_table("t", "".join(rows), len(rows))
    limits = ChunkLimits(size, 0)
    found = run(document(block("Trees", tag(made)), tables=[made]), P(), limits, WORDS)
    assert found.chunks[-1].embed_header.split("\n") == ["Trees", *left_out]

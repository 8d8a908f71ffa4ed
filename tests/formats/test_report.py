"""The report page of a document and its chunks."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest
import written
from chunking.makers import block as made_block
from chunking.makers import document as made_document
from chunking.makers import html_table
from chunking.makers import tag as tag_of
from docx_builder import docx
from examples import some
from formats.pages import cards, own_text, page_of, said_by, squeezed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.chunking.strategies.lgmgc import PMG
from docxchunk.formats.report import pieces, templates
from docxchunk.formats.report.cards import Cards, beginning, card_heading, views_of
from docxchunk.formats.report.page import aligned_rows, html_report, losses
from docxchunk.formats.report.views import (
    CellView,
    ChunkSet,
    LineView,
    PieceKind,
    RenderContext,
    RoleRun,
    RowView,
    TableSliceView,
    TextChange,
    TextPiece,
    context_of,
)
from docxchunk.markup.citations import citation
from docxchunk.model.blocks import Block, Line, LineKind, Position, TableFormat
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
)
from docxchunk.model.document import Document, Issue, IssueCode, Report
from docxchunk.model.objects import Drawing, DrawingKind, Table
from docxchunk.model.options import ParseOptions, TrackChanges
from docxchunk.testing import hypothesis_strategies

FILES = sorted(DOCUMENTS.glob("*.docx"))
SOME = settings(max_examples=some(60), deadline=None, suppress_health_check=list(HealthCheck))
HOSTILE = (
    """</script><script>alert(1)</script><img src=x onerror=alert(2)> "' onmouseover=alert(3) </style>"""
    """<svg onload=alert(4)> <a href="javascript:5"> ]]> --> &lt;b&gt;"""
)


def made(document, *strategies, cap=300, overlap=60):
    chosen = strategies or (P(),)
    return [
        ChunkSet(
            s.name,
            cap,
            "additive",
            run(document, s, ChunkLimits(cap, overlap), hypothesis_strategies.ADDITIVE).chunks,
        )
        for s in chosen
    ]


@pytest.fixture
def as_latex(monkeypatch):
    """Show equations as LaTeX, also if math-core is installed."""
    monkeypatch.setattr(templates, "_mathml", lambda *_: None)


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def document(request):
    return api.parse(request.param)


@pytest.mark.usefixtures("as_latex")
@pytest.mark.parametrize("strategy", [P(), R()], ids=["P", "R"])
@SOME
@given(
    document=hypothesis_strategies.DOCUMENTS,
    size=st.integers(300, 2000),
    overlap=hypothesis_strategies.OVERLAPS,
)
def test_every_visible_character_is_there_once_in_order(strategy, document, size, overlap):
    page = page_of(document, *made(document, strategy, cap=size, overlap=overlap))
    assert "".join(map(own_text, cards(page, strategy.name))) == said_by(document)


@pytest.mark.usefixtures("as_latex")
@pytest.mark.parametrize("cap", [200, 500, 2000])  # below, tags are cut, and then shown as they are
def test_every_visible_character_of_a_real_document(document, cap):
    sets = made(document, P(), R(), cap=cap)
    page = page_of(document, *sets)
    for chunk_set in sets:
        assert "".join(map(own_text, cards(page, chunk_set.name))) == said_by(document)


def test_the_page_matches_its_golden_file(matches, as_latex):
    """Pages without head and script: tracked changes, and two sizes side by side."""
    document = api.parse(
        DOCUMENTS / "tracked-changes.docx",
        options=ParseOptions(track_changes=TrackChanges.ALL),
        doc_id="doc-1",
    )
    sets = [
        ChunkSet(
            f"P {cap}",
            cap,
            "additive",
            run(document, P(), ChunkLimits(cap, 0), hypothesis_strategies.ADDITIVE).chunks,
        )
        for cap in (300, 600)
    ]
    page = html_report(document, sets)
    matches(
        DOCUMENTS.parent / "reports" / "tracked-changes.html",
        page[page.index("<body>") : page.index("<script>")],
    )


def test_the_same_document_makes_the_same_page(document):
    assert html_report(document, made(document)) == html_report(document, made(document))


def test_it_is_valid_html_without_dangling_ids(document):
    html5lib = pytest.importorskip("html5lib")
    text = html_report(document, made(document, P(), R(), cap=128))
    html5lib.HTMLParser(strict=True).parse(text)  # raises ParseError
    page = page_of(document, *made(document, P(), R(), cap=128))
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    referred = [value for name in ("aria-labelledby", "for") for value in page.xpath(f"//@{name}")]
    assert {word for value in referred for word in value.split()} | {
        link[1:] for link in page.xpath("//a/@href")
    } <= set(ids)


def test_it_loads_nothing_and_allows_only_its_own_script(document):
    page = page_of(document, *made(document))
    policy = dict(
        rule.split(" ", 1)
        for rule in page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0].split(
            "; "
        )
    )
    assert (
        policy["default-src"],
        policy["img-src"],
        policy["base-uri"],
        policy["form-action"],
    ) == ("'none'", "data:", "'none'", "'none'")
    for name in ("script", "style"):
        [element] = page.xpath(f"//{name}")
        digest = base64.b64encode(hashlib.sha256(element.text_content().encode()).digest()).decode()
        assert policy[f"{name}-src"] == f"'sha256-{digest}'"
    assert_harmless(page)
    assert "url(" not in page.xpath("//style")[0].text_content()


def assert_harmless(page):
    assert len(page.xpath("//script")) == 1
    assert page.xpath("//*[@style] | //iframe | //object | //link | //base | //form") == []
    assert [
        name
        for element in page.iter()
        if isinstance(element.tag, str)
        for name in element.attrib
        if name.startswith("on")
    ] == []
    assert all(value.startswith("#") for value in page.xpath("//@href"))
    assert all(value.startswith("data:image/") for value in page.xpath("//@src"))


def hostile():
    escaped = (
        HOSTILE.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )
    cell = f"<tc>{escaped}</tc>"
    source = (
        f"<p style='Heading1'>{escaped}</p><p>{escaped}</p><tbl><tr "
        f"header='1'>{cell}{cell}</tr><tr>{cell}{cell}</tr></tbl>"
        f"<tbl><tr><tc span='2'>{escaped}</tc></tr><tr>{cell}{cell}</tr></tbl><p><pic "
        f"src='a.png' alt='{escaped.replace(chr(39), '&apos;')}'/></p>"
        '<p><eq>f(num("a") den("b"))</eq></p>'
    )
    document = api.parse(
        docx(source, {"media/a.png": b"\x89PNG\r\n\x1a\n"}), name=f"{HOSTILE}.docx"
    )
    return replace(
        document, title=HOSTILE, issues=(Issue(IssueCode.VALUE_IGNORED, HOSTILE, HOSTILE),)
    )


def test_hostile_text_is_shown_and_does_nothing():
    document = hostile()
    sets = [
        replace(chunk_set, name=HOSTILE, tokenizer=HOSTILE)
        for chunk_set in made(document, cap=2000)
    ]
    page = page_of(document, *sets)
    assert_harmless(page)
    shown = squeezed(page.xpath("//main")[0].text_content())
    assert shown.count(squeezed(HOSTILE)) >= 12  # title, path, heading, text, seven cells, issue
    assert page.xpath("//h1")[0].text_content() == HOSTILE


@given(text=st.text(st.characters(exclude_categories=()), max_size=200))
@settings(max_examples=some(60), deadline=None)
def test_any_text_makes_a_page_that_can_be_written(text):
    document = api._document_of(docx("<p>x</p>"))
    block = replace(document.blocks[0], content=text or "x", lines=())
    document = replace(document, blocks=(block,), title=text)
    page = html_report(document, made(document))
    assert not re.search("[\x00-\x08\x0b\x0e-\x1f\x7f]", page)
    page.encode()


@given(
    document=written.documents, chunks=st.lists(written.chunks, max_size=4), cap=st.integers(0, 100)
)
@settings(max_examples=some(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_chunks_of_anything_are_shown(document, chunks, cap):
    """Chunk files may be wrong: positions that do not exist, parts that do not add up to the
    text.
    """
    page = page_of(
        document, ChunkSet("P", cap, "", tuple(chunks)), ChunkSet("other", cap, "", tuple(chunks))
    )
    assert len(cards(page)) == sum(not chunk.children for chunk in chunks)
    assert_harmless(page)


def chunk_of(content, *parts):
    return Chunk(1, content, 0, "", (), 0, "c0", "doc", (), "", (), parts)


def document_of(*blocks, **fields):
    return Document("a.docx", "docx", "doc", "", blocks, **fields)


@pytest.mark.parametrize("parts", [(), (Slice("b1", 0, 3),), (Slice("other", 0, 9),)])
def test_all_text_is_shown_if_the_parts_do_not_add_up(parts):
    document = document_of(Block("b1", "Some text"))
    page = page_of(document, ChunkSet("P", 9, "", (chunk_of("Some text", *parts),)))
    assert [own_text(card) for card in cards(page)] == ["Sometext"]


def test_runs_are_those_of_the_parts():
    content = "again new"
    parts = (Slice("b1", 0, 5, SliceRole.OVERLAP), Added(" ", AddedRole.JOIN), Slice("b1", 5, 8))
    context = context_of(document_of(Block("b1", "againnew")), {})
    text = pieces.chunk_text(chunk_of(content, *parts), context)

    def shown(start, end):
        return [(run.role, run.opens, run.pieces[0].text) for run in text.runs(start, end)]

    assert shown(0, 9) == [("overlap", True, "again"), ("", True, " "), ("", True, "new")]
    assert shown(0, 5) == [("overlap", True, "again")]
    assert shown(2, 7) == [("overlap", False, "ain"), ("", True, " "), ("", True, "n")]
    assert shown(6, 9) == [("", True, "new")]
    assert shown(4, 4) == []


def test_position_of_text_is_that_in_its_block():
    parts = (
        Slice("b1", 2, 4),
        Added(" ", AddedRole.JOIN),
        Slice("b1", 4, 9, shown="| x |"),
        Slice("b1", 9, 10, SliceRole.CELL),
        Slice("b9", 0, 0, shown="?"),
    )
    context = context_of(document_of(Block("b1", "0123456789")), {})
    text = pieces.chunk_text(chunk_of("23 | x |9?", *parts), context)
    positions = [text.position(at) for at in range(len(text.text))]
    assert [each and each.at for each in positions] == [2, 3, None, 4, 4, 4, 4, 4, None, None]


@pytest.mark.parametrize(("depth", "shown"), [(0, 0), (8, 8), (9, 8)])
def test_depth_of_a_list_item(depth, shown):
    line = Line(LineKind.LIST, depth=depth)
    document = document_of(Block("b1", "item", lines=(line,)))
    page = page_of(document, ChunkSet("P", 9, "", (chunk_of("item", Slice("b1", 0, 4)),)))
    assert f"depth-{shown}" in cards(page)[0].xpath(".//p[contains(@class, 'list')]/@class")[0]


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (0, 13, [("", None, False), ("list", 2, False), ("", None, True)]),
        (1, 3, [("", None, False)]),
        (4, 7, [("list", 2, False)]),
        (5, 7, [("list", 2, False)]),
        (8, 13, [("", None, True)]),
    ],
)
def test_a_line_is_shown_as_its_block_says(start, end, shown):
    content = "one\ntwo\nthree"
    lines = (Line(), Line(LineKind.LIST, depth=2), Line(bold=True))
    chunk = chunk_of(content[start:end], Slice("b1", start, end))
    document = document_of(Block("b1", content, lines=lines))
    [(_, body)] = views_of(document, ChunkSet("P", 9, "", (chunk,)))
    assert [(line.kind, line.depth, line.bold) for line in body] == shown
    # the chunk begins within the line
    assert [line.goes_on for line in body] == [start in (1, 5), *[False] * (len(body) - 1)]


@pytest.mark.parametrize("lines", [(), (Line(bold=True),), (Line(bold=True),) * 3])
def test_lines_are_plain_if_the_block_has_another_number_of_them(lines):
    document = document_of(Block("b1", "one\ntwo", lines=lines))
    chunk_set = ChunkSet("P", 9, "", (chunk_of("one\ntwo", Slice("b1", 0, 7)),))
    [(_, body)] = views_of(document, chunk_set)
    assert [line.names for line in body] == [[], []]


HEADED = Block("b1", "###### One\n# Two", "One", level=5, confidence=0.7)


@pytest.mark.parametrize(
    ("block", "part", "level", "shown"),
    [
        # level, rank, anchor and confidence of each line
        (HEADED, Slice("b1", 0, 16), 5, [(4, 4, "P-b0", 0.7), (0, 0, "", None)]),
        (HEADED, Slice("b1", 0, 16), 4, [(4, 5, "P-b0", 0.7), (0, 0, "", None)]),
        (HEADED, Slice("b1", 0, 16), 3, [(4, 6, "P-b0", 0.7), (0, 0, "", None)]),
        (HEADED, Slice("b1", 0, 10, SliceRole.OVERLAP), 5, [(4, 4, "", 0.7)]),
        (HEADED, Slice("b1", 11, 16), 5, [(0, 0, "", None)]),
        (replace(HEADED, level=4), Slice("b1", 0, 10), 9, [(4, 4, "P-b0", 0.7)]),
        (replace(HEADED, level=3), Slice("b1", 0, 10), 0, [(3, 6, "P-b0", 0.7)]),
        (replace(HEADED, level=1), Slice("b1", 0, 10), 0, [(1, 4, "P-b0", 0.7)]),
        (replace(HEADED, level=0), Slice("b1", 0, 10), 0, [(0, 0, "", None)]),
        (replace(HEADED, content="One"), Slice("b1", 0, 3), 5, [(0, 0, "", None)]),
    ],
)
def test_a_heading_is_at_the_start_of_a_block_with_a_level(block, part, level, shown):
    chunk = replace(chunk_of(block.content[part.start : part.end], part), level=level)
    context = replace(context_of(document_of(block), {}), key="P")
    [card] = Cards(ChunkSet("P", 9, "", (chunk,)), context).of([chunk])
    assert [(line.level, line.rank, line.anchor, line.confidence) for line in card.body] == shown
    assert "#" not in card.body[0].runs[0].pieces[0].text or not shown[0][0]


def test_blank_lines_are_not_shown():
    content = "\none\n\n \ntwo\n"
    chunk = chunk_of(content, Slice("b1", 0, len(content)))
    [(_, body)] = views_of(document_of(Block("b1", content)), ChunkSet("P", 9, "", (chunk,)))
    assert [line.runs[0].pieces[0].text for line in body] == ["one", "two"]


@pytest.mark.parametrize("role", [SliceRole.TEXT, SliceRole.CELL])
def test_a_cell_that_looks_like_a_table_is_text(role):
    content = '<table id="t" format="json">[[1]]</table>'
    chunk = chunk_of(content, Slice("b1", 0, len(content), role))
    [(_, body)] = views_of(document_of(Block("b1", content)), ChunkSet("P", 9, "", (chunk,)))
    assert [isinstance(item, TableSliceView) for item in body] == [role is SliceRole.TEXT]


def placed(*starts):
    """Return a set of chunks that begin in these blocks, each with the offset; None: nowhere."""
    chunks = [
        replace(
            chunk_of(f"{number}", *([] if start is None else [Slice(f"b{start[0]}", start[1], 9)])),
            chunk_order_index=number,
        )
        for number, start in enumerate(starts)
    ]
    return ChunkSet("P", 9, "", tuple(chunks))


@pytest.mark.parametrize(
    ("lead", "other", "numbers"),
    [
        ([(0, 0)], [(0, 0)], [([0], [0])]),
        ([(0, 0), (1, 0)], [(0, 0), (1, 0)], [([0], [0]), ([1], [1])]),
        ([(0, 0), (0, 5), (1, 0)], [(0, 4), (0, 5)], [([0], [0]), ([1, 2], [1])]),
        ([(0, 0), (0, 1)], [(0, 0), (0, 1)], [([0], [0]), ([1], [1])]),
        # the other set begins before the first chunk, and ends after the last
        ([(1, 0), (2, 0)], [(0, 0), (1, 0), (3, 0)], [([0], [0, 1]), ([1], [2])]),
        # a chunk without text of its own is where the one before is
        ([(0, 0), (1, 0)], [(1, 0), None], [([0], []), ([1], [0, 1])]),
        ([None, (1, 0)], [None, (1, 0)], [([0], [0]), ([1], [1])]),
        # a chunk that goes back is where the one before is
        ([(0, 0), (1, 0)], [(1, 0), (0, 0)], [([0], []), ([1], [0, 1])]),
        ([], [(0, 0)], [([], [0])]),
        ([(0, 0), (1, 0)], [], [([0, 1], [])]),
    ],
)
def test_rows_of_two_sets(lead, other, numbers):
    blocks = context_of(document_of(*(Block(f"b{n}", "x" * 9) for n in range(4))), {}).blocks
    rows = [*aligned_rows([placed(*lead), placed(*other)], blocks)]
    assert [
        tuple([chunk.chunk_order_index for chunk in chunks] for chunks in row) for row in rows
    ] == numbers
    assert [*aligned_rows([], blocks)] == []


def test_a_block_that_goes_on_is_named_by_its_beginning():
    blocks = (Block("b1", "# One", "One", level=1), Block("b2", "and so on", "One", level=1))
    chunks = tuple(
        replace(
            chunk_of(block.content, Slice(block.id, 0, len(block.content))),
            chunk_order_index=number,
            chunk_id=f"c{number}",
            heading=heading,
        )
        for number, (block, heading) in enumerate(zip(blocks, ("", "One"), strict=True))
    )
    chunk_set = ChunkSet("P", 9, "", chunks)
    page = page_of(document_of(*blocks), chunk_set)
    assert page.xpath("//nav//li/a/span/text()") == ["One", "and so on"]
    typed = replace(blocks[0], level=0)  # not a heading, although it begins like one
    page = page_of(document_of(typed, blocks[1]), chunk_set)
    assert page.xpath("//nav//li/a/span/text()") == ["# One", "and so on"]


@pytest.mark.parametrize(("number", "more"), [(200, []), (201, ["And 1 more."])])
def test_at_most_200_issues_are_listed(number, more):
    issue = Issue(IssueCode.HEADING_EMPTY, "", "A heading is empty.")
    page = page_of(document_of(Block("b1", "text"), issues=(issue,) * number))
    assert page.text_content().count("A heading is empty.") == 200
    assert page.xpath("//p[starts-with(., 'And ')]/text()") == more


@pytest.mark.parametrize(
    ("name", "label"), [("P", "P\u202f1"), ("P 9", "P 9 · 1"), ("P 300", "P 300 · 1")]
)
def test_the_label_of_a_chunk_has_the_name_of_its_set(name, label):
    assert ChunkSet(name, 9, "", ()).label(chunk_of("text")) == label


def test_a_repeated_header_of_html_is_marked():
    header = "<tr><th>Item</th><th>Price</th></tr>"
    rows = "".join(f"<tr><td>Item {n}</td><td>{'1 ' * 20}</td></tr>" for n in range(30))
    table = html_table("t", f"<thead>{header}</thead><tbody>{rows}</tbody>", 31, header)
    source = made_document(made_block("H", tag_of(table)), tables=[table])
    [chunk_set] = made(source, cap=300)
    again = page_of(source, chunk_set).xpath("//tr[@class='again']")
    assert len(again) == len(chunk_set.chunks) - 1 > 2
    assert {cell.tag for row in again for cell in row} == {"th"}
    assert {" ".join(row.text_content().split()) for row in again} == {"Item Price"}


def test_repeated_text_is_marked():
    document = api.parse(DOCUMENTS / "two-tables.docx")
    [chunk_set] = made(document, cap=300)
    page = page_of(document, chunk_set)
    later = [
        chunk
        for chunk in chunk_set.chunks
        if any(table.role in (TableRole.MIDDLE, TableRole.LAST) for table in chunk.tables)
    ]
    again = page.xpath("//tr[@class='again']")
    assert len(again) == len(later) > 2
    assert {row.getparent().tag for row in again} == {"thead"}
    assert {cell.tag for row in again for cell in row} == {"th"}
    first = page.xpath("//table[caption[contains(., 'first slice')]]")[0]
    assert [cell.tag for cell in first.xpath("./thead/tr/*")] == ["th"] * 7
    assert page.xpath("string(//caption[contains(., 'middle')])").endswith(" of 25 (middle slice)")


def test_overlap_and_labels_are_marked():
    document = api.parse(DOCUMENTS / "giant-row.docx")
    page = page_of(document, *made(document, cap=128))
    assert {
        squeezed(mark.text_content())
        for mark in page.xpath("//mark[contains(@class, 'label')]")[2:]
    } >= {"Subject:"}
    text = " ".join(f"Sentence {number} is here." for number in range(200))
    document = api.parse(docx(f"<p>{text}</p>"))
    [chunk_set] = made(document, cap=128)
    overlaps = [
        card.xpath(".//mark[contains(@class, 'overlap')]")
        for card in cards(page_of(document, chunk_set))
    ]
    repeating = [0] + [1] * (len(chunk_set.chunks) - 1)
    assert [len(found) for found in overlaps] == repeating
    kinds = [card.get("data-kinds").split() for card in cards(page_of(document, chunk_set))]
    assert [kind.count("repeat") for kind in kinds] == repeating


def test_a_card_shows_position_and_size():
    document = api.parse(DOCUMENTS / "sample-report.docx")
    [chunk_set] = made(document, cap=512)
    for chunk, card in zip(chunk_set.chunks, cards(page_of(document, chunk_set)), strict=True):
        path = [
            f"P{chunk.chunk_order_index + 1}",
            *(f"{heading}›" for heading in chunk.parent_headings),
            chunk.heading or "(before the first heading)",
        ]
        hint = card.xpath("string(./header/h3/span[@class='hint'])")
        assert squeezed(card.xpath("string(./header/h3)")) == squeezed("".join([*path, hint]))
        assert f"{chunk.tokens} of 512 tokens" in card.xpath("string(./header/p)")
        assert chunk.chunk_id in card.xpath("string(./footer/details)")


def test_the_outline_leads_to_each_heading(document):
    page = page_of(document, *made(document))
    links = page.xpath("//nav//li[@class != 'beginning']/a")
    headings = [block.heading for block in document.blocks if block.level]
    assert [link.xpath("string(./span)") for link in links] == headings
    for link in links:
        target = page.get_element_by_id(link.get("href")[1:])
        assert squeezed(target.text_content()) == squeezed(link.xpath("string(./span)"))
        assert f"P-{link.get('data-chunk')}" == target.xpath("ancestor::article/@id")[0]


def test_outline_entries_of_clauses_without_a_title_have_hints():
    text = "The tenant pays the rent on the first day of each month. " * 4
    document = api.parse(
        docx(
            "<p style='Heading1'>Rent</p><p style='Heading2' "
            f"num='1:0'>{text}</p><numbering><list "
            "id='1'><level/></list></numbering>"
        )
    )
    entries = page_of(document, *made(document)).xpath("//nav//li/a/span")
    assert [
        (entry.text.strip(), entry.xpath("string(.//span[@class='hint'])")) for entry in entries
    ] == [
        ("Rent", ""),
        ("1.", "The tenant pays the rent on the first day of each month. The tenant …"),
    ]


def test_outline_entries_of_parts_have_hints():
    document = api.parse(
        docx(
            "<p style='Heading1'>Terms</p>"
            + "".join(
                f"<p>Clause {number} says much. {'It goes on. ' * 115}</p>" for number in range(4)
            )
        )
    )
    page = page_of(document, *made(document, cap=500, overlap=0))
    hints = [card.xpath("string(.//span[@class='hint'])") for card in cards(page)]
    assert [hint.split(" says")[0] for hint in hints] == [
        "Clause 0",
        "Clause 1",
        "Clause 2",
        "Clause 3",
    ]
    assert page.xpath("//nav//li[@class='beginning']/a/span/text()") == hints[1:]
    cover = api.parse(docx(f"<p>A cover. {'It goes on. ' * 99}</p><p style='Heading1'>A</p>"))
    (first, *_) = cards(page_of(cover, *made(cover, cap=500, overlap=0)))
    assert first.xpath("string(.//span[@class='hint'])").startswith("A cover. It goes on.")
    table = api.parse(
        docx(
            "<tbl><tr header='1'><tc>Name</tc><tc>Text</tc></tr>"
            + "".join(f"<tr><tc>Item {n}</tc><tc>{f'{n} words ' * 60}</tc></tr>" for n in range(4))
            + "</tbl>"
        )
    )
    page = page_of(table, *made(table, cap=500, overlap=0))
    assert [card.xpath("string(.//span[@class='hint'])")[:33] for card in cards(page)][1] == (
        "Table 1, row 3 of 5: Item 1 · 1 w"
    )


@pytest.mark.parametrize(
    ("levels", "ranks"),
    [
        ([1, 2, 3, 4], [4, 5, 6, 6]),
        ([2, 3, 1], [4, 5, 4]),
        ([0, 1, 2], [4, 5]),  # text before the first heading
    ],
)
def test_headings_are_ranked_below_that_of_their_card(levels, ranks):
    styles = [f"Heading{level}" if level else "Normal" for level in levels]
    document = api.parse(docx("".join(f"<p style='{style}'>Words</p>" for style in styles)))
    [only] = api.chunk(document, strategy="R")
    [(_, body)] = views_of(document, ChunkSet("R", 2000, "", (only,)))
    assert [(line.level, line.rank) for line in body if line.level] == [
        (level, rank) for level, rank in zip(filter(None, levels), ranks, strict=True)
    ]


def test_a_circle_of_parents_is_cut():
    document, chunk_set = sized(8, 8, 8)
    leaf, one, other = chunk_set.chunks
    chunks = (
        replace(leaf, parent="c1"),
        replace(one, parent="c2", children=("c0",)),
        replace(other, parent="c1", children=("c1",)),
    )
    page = page_of(document, replace(chunk_set, chunks=chunks))
    [card] = cards(page)
    assert [frame.get("id") for frame in card.xpath("ancestor::section[@class='parent']")] == [
        "P-3",
        "P-2",
    ]


def test_the_text_and_the_citation_of_a_chunk_can_be_copied(document):
    [chunk_set] = made(document)
    for chunk, card in zip(chunk_set.chunks, cards(page_of(document, chunk_set)), strict=True):
        assert (card.get("data-text"), card.get("data-citation")) == (
            chunk.content,
            citation(chunk, document.name),
        )
        assert card.xpath(".//button/@data-copy") == ["text", "citation"]


def test_paragraphs_of_a_merged_cell():
    context = context_of(Document("a.docx", "docx", "d", "", ()), {})
    found = pieces.html_cell_pieces("a &amp; b<br/><BR>c<sup>2</sup>[^1]", context)
    assert [(piece.kind, piece.text) for piece in found] == [
        (PieceKind.TEXT, "a & b"),
        (PieceKind.BREAK, "\n"),
        (PieceKind.BREAK, "\n"),
        (PieceKind.TEXT, "c"),
        (PieceKind.SUPERSCRIPT, "2"),
        (PieceKind.NOTE, "[^1]"),
    ]


CHANGES = [
    ("a{--b--}{++c++}d", [("a", ""), ("b", "del"), ("c", "ins"), ("d", "")]),
    ("{++a{--b--}c++}", [("a", "ins"), ("b", "del"), ("c", "ins")]),
    ("a++} b", [("a", "ins"), (" b", "")]),  # the chunk begins within the change
    ("a {--b", [("a ", ""), ("b", "del")]),  # and ends within it
    ("a{++1++}{++2++}", [("a", ""), ("1", "ins"), ("2", "ins")]),
    ("a b", [("a b", "")]),
    ("--} {++ ++}", [(" ", ""), (" ", "ins")]),
]


@pytest.mark.parametrize(("text", "expected"), CHANGES)
def test_marks_of_tracked_changes(text, expected):
    [run] = pieces.with_changes(
        [RoleRun("", opens=False, pieces=(TextPiece(PieceKind.TEXT, text),))]
    )
    assert [(piece.text, piece.change) for piece in run.pieces] == expected


def test_marks_of_changes_are_text_and_not_in_an_equation():
    made_of = [(PieceKind.EQUATION, "x++}"), (PieceKind.TEXT, "{++a"), (PieceKind.NOTE, "{--[^1]")]
    line = tuple(TextPiece(kind, text) for kind, text in made_of)
    [run] = pieces.with_changes([RoleRun("", opens=False, pieces=line)])
    assert [(piece.text, piece.change) for piece in run.pieces] == [
        *(("x++}", ""), ("a", "ins"), ("{--[^1]", "ins"))
    ]


def test_insertions_and_deletions_are_distinguished():
    text = (
        "<p>Paid in <del>90</del><ins>30</ins> "
        "days.</p><tbl><tr><tc><p><ins>New</ins></p></tc></tr></tbl><p>Typed {++by hand++}.</p>"
    )
    page = page_of(*changed(text, TrackChanges.ALL))
    assert [
        (change.tag, change.text_content())
        for change in page.xpath("//div[@class='text']//*[self::ins or self::del]")
    ] == [
        ("del", "90"),
        ("ins", "30"),
        ("ins", "New"),
        ("ins", "by hand"),
    ]
    assert page.xpath("//select[@id='kind']/option[@value='change']")
    assert "change" in cards(page)[0].get("data-kinds")
    page = page_of(*changed(text, TrackChanges.FINAL))
    assert page.xpath("//ins | //del | //option[@value='change']") == []
    assert "{++by hand++}" in own_text(cards(page)[0]).replace("byhand", "by hand")


def changed(text, view):
    document = api.parse(docx(text), options=ParseOptions(track_changes=view))
    return document, *made(document)


def test_sizes_side_by_side():
    document = api.parse(DOCUMENTS / "sample-report.docx")
    sets = [
        ChunkSet(
            f"P {cap}",
            cap,
            "additive",
            run(document, P(), ChunkLimits(cap, 0), hypothesis_strategies.ADDITIVE).chunks,
        )
        for cap in (300, 900)
    ]
    page = page_of(document, *sets)
    assert [len(cards(page, f"P-{chunk_set.cap}")) for chunk_set in sets] == [
        len(chunk_set.chunks) for chunk_set in sets
    ]
    assert page.xpath("//input[@name='set']/@value") == ["P-300", "P-900"]


@SOME
@given(document=hypothesis_strategies.DOCUMENTS, size=st.integers(64, 1500))
def test_aligned_sets_contain_each_chunk_once_in_order(document, size):
    sets = made(document, P(), R(), cap=size)
    rows = list(aligned_rows(sets, context_of(document, {}).blocks))
    for number, chunk_set in enumerate(sets):
        assert [chunk for row in rows for chunk in row[number]] == list(chunk_set.chunks)
    assert all(row[0] and row[1] for row in rows[1:])
    for (_, above), (first, beside) in pairwise(rows):
        start = start_of(document, first[0])
        assert all(start_of(document, chunk) >= start for chunk in beside[:1])
        assert all(start_of(document, chunk) < start for chunk in above)


def start_of(document, chunk):
    """Return the number of the block, and the offset in it, at which a chunk begins."""
    numbers = {block.id: number for number, block in enumerate(document.blocks)}
    return next(
        (numbers[part.block], part.start)
        for part in chunk.parts
        if isinstance(part, Slice) and part.role in (SliceRole.TEXT, SliceRole.CELL)
    )


def sized(*sizes, cap=100):
    """Return a document, and a set of chunks with these numbers of tokens."""
    document = api.parse(docx("<p>Some text.</p>"))
    [chunk] = api.chunk(document)
    return document, ChunkSet(
        "P",
        cap,
        "additive",
        tuple(
            replace(chunk, tokens=size, chunk_order_index=number, chunk_id=f"c{number}")
            for number, size in enumerate(sizes)
        ),
    )


def test_the_sizes_of_chunks_are_told():
    page = page_of(*sized(8, 73, 75, 103))
    assert page.xpath("string(//details[@class='sizes']/summary/span)") == (
        "4 chunks of 8 to 103 tokens, median 74"
    )
    measures = {
        row.xpath("./th/text()")[0]: row.xpath("string(./td)")
        for row in page.xpath("//div[@class='measures']//tbody/tr")
    }
    assert measures == {
        "chunks": "4",
        "tokens": "259",
        "mean size": "65",
        "median size": "74",
        "largest": "103",
        "mean fill": "65%",
        "ideal size": "50%",
        "small": "25%",
        "over the limit": "1",
        "tables cut": "0 of 0",
        "shown twice": "0.0%",
    }
    assert [
        (bar.get("class"), bar.xpath("string(./title)"))
        for bar in page.xpath("//div[@class='histograms']//g")
    ] == [
        ("usual", "7 to 13 tokens: 1 chunk"),
        ("usual", "70 to 76 tokens: 2 chunks"),
        ("ideal", "98 to 100 tokens: 1 chunk"),
    ]
    shown = [
        (
            card.xpath(".//p[@class='size']/svg/@class")[0],
            card.xpath(".//p[@class='size']/svg/rect[2]/@width")[0],
            card.get("data-kinds"),
        )
        for card in cards(page)
    ]
    assert shown == [
        ("small", "8", "small"),
        ("usual", "73", ""),
        ("ideal", "75", ""),
        ("over", "100", "over"),
    ]


@pytest.mark.parametrize(
    ("tokens", "cap", "level"),
    [(24, 200, "small"), (25, 200, "usual"), (746, 1000, "usual"), (750, 1000, "ideal")],
)
def test_a_share_near_a_level_is_not_rounded_into_it(tokens, cap, level):
    [card] = cards(page_of(*sized(tokens, cap=cap)))
    assert card.xpath(".//p[@class='size']/svg/@class") == [level]
    assert card.get("data-kinds") == ("small" if level == "small" else "")


def test_the_sizes_of_slices_of_tables_have_no_fill():
    document, chunk_set = sized(8, 9)
    slices = (TableRows("tb-1", (0, 1), TableRole.FIRST),)
    chunks = tuple(replace(chunk, tables=slices) for chunk in chunk_set.chunks)
    page = page_of(document, replace(chunk_set, chunks=chunks))
    assert page.xpath("string(//details[@class='sizes']/summary/span)") == (
        "2 chunks of 8 to 9 tokens, median 8; 1 table cut"
    )
    rows = page.xpath("//div[@class='measures']//tbody/tr")
    values = {row.xpath("string(th/text())"): row.xpath("string(td)") for row in rows}
    assert [values[name] for name in ("mean fill", "ideal size", "tables cut")] == [
        *("–", "–", "1 of 1")
    ]
    assert {card.get("data-kinds") for card in cards(page)} == {"small slice"}


def test_a_document_is_named_by_its_title_and_then_its_file():
    document, chunk_set = sized(8)
    facts = "1 block · 10 characters"
    for title, heading, shown in (
        ("", document.name, facts),
        ("A title", "A title", f"{document.name} · {facts}"),
    ):
        page = page_of(replace(document, title=title), chunk_set)
        assert page.xpath("string(//h1)") == heading
        assert page.xpath("string(//p[@class='facts'])") == shown


def test_the_size_of_a_single_chunk_is_one_number():
    page = page_of(*sized(8))
    assert page.xpath("string(//details[@class='sizes']/summary/span)") == "1 chunk of 8 tokens"


@pytest.mark.parametrize(
    ("kept", "dropped", "text", "sentence"),
    [
        (0, {}, "abcde", "There is no report of what was left out."),
        (5, {}, "abcde", "Kept 5 of the 5 characters in the file, left out 0."),
        (
            4,
            {"hidden": 2, "TOC": 1},
            "abcde",
            (
                "Kept 4 of the 7 characters in the file, left out 3 (hidden 2; TOC 1). "
                "The blocks have 1 more: tags of tables, equations and pictures, marks "
                "of headings and changes, numbers that Word counts, line breaks."
            ),
        ),
        (
            7,
            {},
            "abcde",
            (
                "Kept 7 of the 7 characters in the file, left out 0. "
                "The blocks have 2 fewer: notes, empty lines and lines under headings of "
                "Markdown are not in them."
            ),
        ),
        (0, {"hidden": 1}, "", "Kept 0 of the 1 character in the file, left out 1 (hidden 1)."),
    ],
)
def test_losses(kept, dropped, text, sentence):
    report = Report(kept, dropped)
    assert losses(Document("a", "docx", "d", "", (Block("b", text),), report=report)) == sentence


def test_blocks_in_no_chunk_are_reported():
    document = api.parse(DOCUMENTS / "chinese-thesis.docx")
    dropped = ChunkSet(
        "P",
        300,
        "o200k_base",
        tuple(api.chunk(document, strategy="P", max_tokens=300, drop_toc=True)),
    )
    assert "<p>P: 1 block (TOC) in no chunk.</p>" in html_report(document, [dropped])
    assert "in no chunk" not in html_report(document, made(document))
    document = document_of(Block("b1", "text"), Block("b2", " "))  # a blank one is not missed
    chunks = ChunkSet("P", 9, "", (chunk_of("text", Slice("b1", 0, 4)),))
    assert "in no chunk" not in html_report(document, [chunks])


@pytest.mark.parametrize(
    ("strategies", "meaning"),
    [
        *(([P()], ""), ([PMG()], "children left out")),
        *(([P(), PMG()], "children left out"), ([P(), R()], "")),
    ],
)
def test_chunks_are_counted_without_children(strategies, meaning):
    document = api.parse(docx(f"<p>{'Some words. ' * 60}</p>"))
    sets = made(document, *strategies)
    rows = page_of(document, *sets).xpath("//div[@class='measures']//tr[th]")
    meanings = {row.xpath("string(th/text())"): row.xpath("string(th/small)") for row in rows}
    assert (meanings["chunks"], meanings["tokens"]) == (meaning, "of all chunks")
    counted = [row.xpath("td/text()") for row in rows if row.xpath("th[text()='chunks']")]
    assert counted == [[f"{sum(not chunk.parent for chunk in each.chunks)}" for each in sets]]


def test_without_chunks_there_is_a_page():
    empty = Document("empty.docx", "docx", "doc-0", "", ())
    assert "There are no chunks." in html_report(empty, [ChunkSet("P", 100, "additive", ())])
    assert "empty.docx" in html_report(empty, [])


def test_pictures_are_in_the_page_up_to_a_limit(monkeypatch):
    png = b"\x89PNG\r\n\x1a\n" + bytes(100)
    source = "".join(
        f"<p><pic src='{name}' alt='Figure {name[0]}'/></p>" for name in ("a.png", "b.emf", "c.png")
    )
    document = api.parse(
        docx(source, {"media/a.png": png, "media/b.emf": b"EMF", "media/c.png": png + b"c"})
    )
    page = page_of(document, *made(document))
    assert [image.get("alt") for image in page.xpath("//img")] == ["Figure a", "Figure c"]
    assert page.xpath("//img/@src")[0] == f"data:image/png;base64,{base64.b64encode(png).decode()}"
    assert page.xpath("string(//*[@class='text']//*[@class='no-picture'])") == (
        "picture · Figure b · emf, not shown"
    )
    monkeypatch.setattr(pieces, "MAX_BYTES", 300)
    assert len(page_of(document, *made(document)).xpath("//img")) == 2
    # of one picture, shown twice
    assert len(page_of(document, *made(document, P(), R())).xpath("//img")) == 2


@pytest.mark.parametrize(
    ("names", "limits", "shown"),
    [
        # of one picture, and of all
        (["a", "b"], (100, 200), ["a", "b"]),
        (["a", "b"], (99, 200), []),
        (["a", "b"], (100, 199), ["a"]),
        (["a", "a", "b"], (100, 300), ["a", "b"]),
        (["a", "a", "b"], (100, 299), ["a"]),
        (["a", "a", "b"], (100, 199), ["b"]),
        (["missing", "a"], (100, 100), ["a"]),
    ],
)
def test_pictures_cost_as_many_bytes_as_they_are_shown(monkeypatch, names, limits, shown):
    monkeypatch.setattr(pieces, "LARGEST", limits[0])
    drawings = {
        f"im-{number}": Drawing(
            f"im-{number}", "b1", "", (), DrawingKind.PICTURE, path=f"x.assets/{name}"
        )
        for number, name in enumerate(names)
    }
    assets = {name: b"GIF8".ljust(100) for name in "ab"}
    document = document_of(Block("b1", "text"), drawings=drawings, assets=assets)
    for times in (1, 2):
        monkeypatch.setattr(pieces, "MAX_BYTES", limits[1] * times)
        assert list(pieces.data_uris(document, times)) == shown


@pytest.mark.parametrize(
    ("text", "height"),
    [
        *(("a" * 629, 1), ("a" * 630, 2), ("三" * 314, 1), ("三" * 315, 2)),
        *(("a\n" * 6 + "a", 1), ("a\n" * 7 + "a", 2)),
        # rows of tables are lines, too
        *(("</tr>" * 6, 1), ("</tr>" * 7, 2), ("],[" * 6, 1), ("],[" * 7, 2)),
        *(("a\n" * 130 + "a", 19), ("a\n" * 131 + "a", 20), ("a\n" * 200 + "a", 20)),
    ],
)
def test_the_height_of_a_card_is_estimated_in_steps_of_seven_lines(text, height):
    block = Block("b", text, "", (), 0)
    document = Document("a.docx", "docx", "doc-a", "", (block,))
    (name,) = page_of(document, *made(document, R(), cap=5000)).xpath("//article/@class")
    assert f"tall-{height}" in name.split()


MEDIA = [
    (b"\xff\xd8\xff\xe0", "image/jpeg"),
    (b"GIF89a", "image/gif"),
    (b"RIFF1234WEBPVP8 ", "image/webp"),
    (b"RIFF1234WAVEfmt ", ""),
    (b"RIFX1234WEBPVP8 ", ""),
    (b"BM6", "image/bmp"),
    (b"<svg/>", "image/svg+xml"),
    (b"\xef\xbb\xbf\r\n <svg/>", "image/svg+xml"),
    (b"text <svg/>", ""),
    (b" " * 196 + b"<svg/>", "image/svg+xml"),  # within the first 200 bytes
    (b" " * 197 + b"<svg/>", ""),
    (b"<?xml?>".ljust(1996) + b"<svg/>", "image/svg+xml"),  # within the first 2000 bytes
    (b"<?xml?>".ljust(1997) + b"<svg/>", ""),
    (b"<?xml version='1.0'?><svg/>", "image/svg+xml"),
    (b"<?xml version='1.0'?><html/>", ""),
    (b"II*", ""),
    (b"", ""),
]


@pytest.mark.parametrize(("data", "kind"), MEDIA)
def test_media_types(data, kind):
    assert pieces.media_type(data) == kind


def test_a_picture_that_the_document_does_not_have_is_its_tag():
    tag = '<drawing id="im-9" format="png" caption="" path="" src="" />'
    context = context_of(document_of(), {})
    assert [*pieces.pieces(f"a{tag}", str, context)] == [
        TextPiece(PieceKind.TEXT, "a"),
        TextPiece(PieceKind.PICTURE, tag),
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Due now.", [PieceKind.TEXT]),
        ("Due[^1] now.", [PieceKind.TEXT, PieceKind.NOTE, PieceKind.TEXT]),
        ("[^1]", [PieceKind.NOTE]),
        (
            'x<equation format="latex">y</equation>[^1]',
            [PieceKind.TEXT, PieceKind.EQUATION, PieceKind.NOTE],
        ),
        ('<equation format="latex">y</equation>', [PieceKind.EQUATION]),
        ("", []),
    ],
)
def test_tags_and_marks_of_notes_are_pieces_of_a_text(text, kinds):
    context = RenderContext(api.parse(docx("<p>x</p>")), {}, {}, {})
    assert [piece.kind for piece in pieces.pieces(text, str, context)] == kinds


def test_equations_are_mathml_where_the_extra_is_installed():
    pytest.importorskip("math_core")
    assert templates.can_draw()
    drawn = templates.equation(r"\frac{a}{b}\tag{2-2}", display=True)
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in drawn.mathml
    assert drawn.number == "2-2"
    assert "<math>" in templates.equation("x", display=False).mathml
    assert templates.equation(r"\text{<script>}", display=False).mathml.count("<script>") == 0
    assert templates.equation(r"\nosuch{x}", display=False).mathml == ""
    document = api.parse(DOCUMENTS / "equations.docx")
    page = page_of(document, *made(document, cap=2000))
    assert len(page.xpath("//math")) > 10
    displayed = page.xpath("//span[contains(@class, 'equation display')]//math")
    assert page.xpath("//math[@display='block']") == displayed != []
    assert len(page.xpath("//math//annotation")) == len(page.xpath("//math"))  # to be copied
    assert page.xpath("//code[contains(@class, 'latex')]") == []
    assert_harmless(page)


def test_equations_are_latex_where_it_is_not(monkeypatch):
    templates._mathml.cache_clear()
    monkeypatch.setattr(templates, "_converter", lambda: None)
    assert not templates.can_draw()
    assert templates.equation(r"\frac{a}{b}\tag{1}", display=True).mathml == ""
    document = api.parse(DOCUMENTS / "equations.docx")
    page = page_of(document, *made(document, cap=2000))
    assert page.xpath("//math") == []
    assert len(page.xpath("//code[@class='latex display']")) > 3
    templates._mathml.cache_clear()


OPENED = [sign * 60 for sign in ("(", "[", r"\{", "f(", "\\langle ")]
NESTED = ["{" * 5000 + "}" * 5000, r"\left(" * 60 + "x" + r"\right)" * 60, r"\sqrt" * 2000 + "x"]


@pytest.mark.parametrize("latex", [*OPENED, *NESTED])
def test_an_equation_that_is_too_slow_to_convert_is_shown_as_latex(latex):
    pytest.importorskip("math_core")
    assert templates.equation(latex, display=True).mathml == ""


@pytest.mark.parametrize(
    ("latex", "is_long", "number"),
    [
        ("x" * 60, False, ""),
        ("x" * 61, True, ""),
        (r"x\tag{2-2} ", False, "2-2"),
        ("", False, ""),
        (" ", False, ""),
    ],
)
def test_equations_of_more_than_sixty_characters_may_be_too_wide(latex, is_long, number):
    drawn = templates.equation(latex, display=False)
    assert (drawn.latex, drawn.long, drawn.number) == (latex, is_long, number)
    assert bool(drawn.mathml) is (templates.can_draw() and bool(latex.strip()))


def nested(depth):
    return "{" * depth + "x" + "}" * depth


@pytest.mark.parametrize(
    ("latex", "is_drawn"),
    [
        (nested(10), True),
        (nested(11), False),
        (nested(6) + nested(6), True),
        ("{{}" * 9 + "x" + "}" * 9, True),
        ("{{}" * 10 + "x" + "}" * 10, False),
        (f"){nested(10)}", True),  # closes nothing
        ("x" * 1000, True),
        ("x" * 1001, False),
    ],
)
def test_limits_of_equations(latex, is_drawn):
    pytest.importorskip("math_core")
    assert bool(templates.equation(latex, display=True).mathml) == is_drawn


@pytest.mark.parametrize("strategies", [(PMG(),), (PMG(), R())], ids=["alone", "side by side"])
def test_children_are_inside_the_frames_of_their_parents(document, strategies):
    sets = made(document, *strategies, cap=400)
    chunks = {chunk.chunk_id: chunk for chunk in sets[0].chunks}
    page = page_of(document, *sets)
    assert {frame.get("id") for frame in page.xpath("//section[@class='parent' and @id]")} == {
        f"set0-{chunk.chunk_order_index + 1}" for chunk in chunks.values() if chunk.children
    }
    by_number = {f"{chunk.chunk_order_index + 1}": chunk for chunk in chunks.values()}
    for card in cards(page, "set0"):
        frames, above = (
            card.xpath("ancestor::section[@class='parent']"),
            by_number[card.get("data-number")].parent,
        )
        while above:
            parent = chunks[above]
            title = "".join(frames.pop().xpath("./@aria-label | ./header//h3/a/text()"))
            assert re.fullmatch(rf"P\+MG\s{parent.chunk_order_index + 1}( goes on)?", title)
            above = parent.parent
        assert frames == []


def test_a_frame_says_that_it_goes_on():
    parent = replace(chunk_of("a b"), chunk_id="p", children=("a", "b"))
    leaves = [
        replace(chunk_of(name), chunk_id=name, parent="p", chunk_order_index=number)
        for number, name in enumerate("ab", 1)
    ]
    chunk_set = ChunkSet("P", 9, "", (parent, *leaves))
    frames = Cards(chunk_set, context_of(document_of(), {}))
    assert [frame.again for leaf in leaves for frame in frames.of([leaf])] == [False, True]
    frames = Cards(chunk_set, context_of(document_of(), {}))
    [frame] = frames.of(leaves)
    assert not frame.again
    assert [card.origin for card in frame.inside] == [
        (name, "part of p", "0 slices of 0 blocks") for name in "ab"
    ]


def test_struck_through_text_is_struck_through():
    source = docx(
        '<p>a <r strike="1">old</r> <r><rPr><strike/><vertAlign val="superscript"/></rPr>2</r></p>'
    )
    document = api.parse(source, options=ParseOptions(strikethrough="mark"))
    page = page_of(document, *made(document, P()))
    [struck] = page.iter("s")
    assert struck.text == "old"
    assert "".join(map(own_text, cards(page))) == "aold2"


def test_pictures_are_named_only_where_there_is_no_other_text():
    picture, text = TextPiece(PieceKind.PICTURE, "Picture 11"), TextPiece(PieceKind.TEXT, "Note")
    lines = [
        ([picture, text], "Note"),
        ([text, picture, text], "Note Note"),
        ([picture], "Picture 11"),
    ]
    for line, words in lines:
        body = (LineView(runs=(RoleRun("", opens=False, pieces=tuple(line)),)),)
        assert beginning(body) == words
    cell = CellView((text,), head=False)
    rows = [RowView((cell,), head=again, again=again) for again in (True, False)]
    table = TableSliceView("Table 1, row 2 of 9 (last slice)", TableRole.LAST, tuple(rows))
    assert beginning((table,)) == "Table 1, row 2 of 9: Note"
    runs = (RoleRun("", opens=False, pieces=(picture,)),)
    assert beginning((LineView(runs), LineView(runs))) == "Picture 11 Picture 11"


def test_the_first_own_words_name_a_chunk():
    def run(text, role="", change=TextChange.NONE):
        return RoleRun(role, opens=True, pieces=(TextPiece(PieceKind.TEXT, text, "", change),))

    deleted, own = run("Gone. ", change=TextChange.DELETED), run("Ow")
    own = own._replace(pieces=(*own.pieces, TextPiece(PieceKind.SUPERSCRIPT, "n.")))
    heading, repeated = LineView((run("One"),), level=1), run("Again. ", "overlap")
    assert beginning((heading, LineView((repeated,)), LineView((repeated, deleted, own)))) == "Own."
    assert beginning((LineView((own,)), LineView((run("More."),)))) == "Own."
    assert beginning((heading,)) == beginning(()) == ""
    cells = tuple(CellView(text.pieces, head=False) for text in (deleted, own, run(" "), own))
    table = TableSliceView("Table", TableRole.NONE, (RowView(cells, head=False, again=False),))
    assert beginning((heading, table)) == "Table: Own. · Own."
    assert beginning((TableSliceView("Table", TableRole.NONE, ()),)) == "Table"


@pytest.mark.parametrize(
    ("role", "content", "labels"),
    [
        (TableRole.MIDDLE, "some words", ["Table 1, rows 2 to 3 of 9 (middle slice)"]),
        (TableRole.MIDDLE, '<table id="tb-1" format="json">[["a"]]</table>', []),
        (TableRole.NONE, "some words", []),
    ],
)
def test_rows_that_are_shown_in_part_are_named(role, content, labels):
    table = Table("tb-1", "b1", "", (), 9, 1, TableFormat.JSON, "")
    document = document_of(Block("b1", content), tables={"tb-1": table})
    chunk = replace(
        chunk_of(content, Slice("b1", 0, len(content))), tables=(TableRows("tb-1", (1, 2), role),)
    )
    page = page_of(document, ChunkSet("P", 9, "", (chunk,)))
    assert page.xpath("//article/p[@class='rows']/text()") == labels


HTML = "<tr><th>a</th><td>b</td></tr><tr><td>c</td><td><th></td></tr>"
WHOLE, FIRST, MIDDLE = (
    TableRows("tb-1", (0, 1), role) for role in (TableRole.NONE, TableRole.FIRST, TableRole.MIDDLE)
)


@pytest.mark.parametrize(
    ("body", "rows", "fields", "heads"),
    [
        ('[["a","b"],["c","d"]]', None, {"header": '[["a","b"]]'}, ["a", "b"]),
        ('[["a","b"],["c","d"]]', WHOLE, {"header": '[["a","b"]]'}, ["a", "b"]),
        ('[["a","b"],["c","d"]]', FIRST, {"header": '[["a","b"]]'}, ["a", "b"]),
        ('[["a","b"],["c","d"]]', MIDDLE, {"header": '[["a","b"]]'}, []),
        ('[["a",""],["c","d"]]', None, {"header": '[["a",""]]'}, ["a"]),  # nothing is named
        # a header that is not sure is shown, too
        ('[["a"]]', None, {"header_guess": '[["a"]]', "header_confidence": 0.01}, ["a"]),
        ('[["a"]]', None, {}, []),
        (HTML, None, {}, ["a"]),
    ],
)
def test_cells_of_header_rows_are_names(body, rows, fields, heads):
    view = table_of(body, rows, **fields)
    assert [each for row in view.rows for each in row.cells if each.head] == [
        CellView((TextPiece(PieceKind.TEXT, head),), head=True, column=column)
        for column, head in enumerate(heads)
    ]
    assert (view.head, view.body) == (
        (view.rows[:1], view.rows[1:])
        if rows is FIRST
        else (
            tuple(row for row in view.rows if row.head),
            tuple(row for row in view.rows if not row.head),
        )
    )


@pytest.mark.parametrize(
    ("header", "roles"), [(None, ["", "header", ""]), ('[["","x",""]]', ["", "", ""])]
)
def test_repeated_cells_are_marked_but_not_empty_ones_and_names(header, roles):
    texts = ['<table id="tb-1" format="json">[["', '","x', '",""],["a"]]</table>']
    kinds = (AddedRole.WRAPPER, AddedRole.HEADER, AddedRole.WRAPPER)
    chunk = chunk_of("".join(texts), *map(Added, texts, kinds))
    table = Table("tb-1", "b1", "", (), 2, 3, TableFormat.JSON, "", header=header)
    document = document_of(Block("b1", ""), tables={"tb-1": table})
    [(_, [view])] = views_of(document, ChunkSet("P", 9, "", (chunk,)))
    assert [cell.role for cell in view.rows[0].cells] == roles


@pytest.mark.parametrize(
    "body",
    ["<tr><td>R &amp; D<br/>m<sup>2</sup></td></tr>", r'[["R & D\nm<sup>2</sup>"]]'],
)
def test_pieces_of_cells(body):
    [[cell]] = [row.cells for row in table_of(body).rows]
    assert "".join(piece.text for piece in cell.pieces) == "R & D\nm2"
    assert cell.pieces[-1] == TextPiece(PieceKind.SUPERSCRIPT, "2")


def test_rows_that_are_not_lists_of_texts_are_shown_as_they_are():
    view = table_of('[["a","b"],[1, 2],{"c":[3]},[]]')
    assert [[cell.pieces[0].text for cell in row.cells] for row in view.rows] == [
        *(["a", "b"], ["[1, 2]"], ['{"c":[3]}'], ["[]"])
    ]
    assert not any(cell.head for row in view.rows for cell in row.cells)
    assert table_of("no rows").raw == '<table id="tb-1" format="json">no rows</table>'


def test_each_table_of_a_chunk_has_its_own_rows():
    body = '[["a"],["b"]]'
    content = "".join(f'<table id="{name}" format="json">{body}</table>' for name in "tuv")
    tables = {
        name: Table(name, "b1", "", (), 9, 1, TableFormat.JSON, body, header='[["a"]]')
        for name in "tuv"
    }
    document = document_of(Block("b1", content), tables=tables)
    rows = (TableRows("v", (2, 3), TableRole.LAST), TableRows("u", (0, 1), TableRole.NONE))
    chunk = replace(chunk_of(content, Slice("b1", 0, len(content))), tables=rows)
    [(_, views)] = views_of(document, ChunkSet("P", 9, "", (chunk,)))
    assert [(view.caption, view.role, len(view.head)) for view in views] == [
        ("Table 1, 9 × 1", TableRole.NONE, 1),
        ("Table 2, 9 × 1 (whole table)", TableRole.NONE, 1),
        ("Table 3, rows 3 to 4 of 9 (last slice)", TableRole.LAST, 0),
    ]


def table_of(body, rows=None, **fields):
    """Return the view of a table in a chunk."""
    kind = "html" if body.startswith("<") else "json"
    content = f'<table id="tb-1" format="{kind}">{body}</table>'
    table = Table("tb-1", "b1", "", (), 2, 2, TableFormat(kind), body, **fields)
    document = document_of(Block("b1", content), tables={"tb-1": table})
    chunk = replace(chunk_of(content, Slice("b1", 0, len(content))), tables=(rows,) if rows else ())
    [(_, [view])] = views_of(document, ChunkSet("P", 9, "", (chunk,)))
    return view


@pytest.mark.parametrize(
    ("position", "where"),
    [
        (Position("A", "A", (0, 0), (1, 1)), "¶ 1, body elements 0 (paraId A)"),
        (Position("A", "B", (0, 2), (1, 3)), "¶ 1–3, body elements 0–2 (paraId A–B)"),
        (Position("A", None, (0, 2)), "body elements 0–2"),
        (Position(None, "B", (0, 2)), "body elements 0–2"),
    ],
)
def test_a_card_tells_where_its_text_is_from(position, where):
    document = document_of(Block("b1", "text"))
    chunk = replace(chunk_of("text", Slice("b1", 0, 4)), positions=(position,), blocks=("b1",))
    page = page_of(document, ChunkSet("P", 9, "", (chunk,)))
    origin = page.xpath("string(//article/footer/details/p[2])")
    assert origin.split(" · ") == ["c0", where, "1 slice of 1 block"]


@pytest.mark.parametrize(
    ("drawing", "text"),
    [
        (
            {"kind": DrawingKind.OLE, "format": "Visio.Drawing.11"},
            "embedded object · Visio Drawing",
        ),
        ({"kind": DrawingKind.PICTURE, "format": "emf", "alt": "A map"}, "picture · A map · emf"),
        ({"kind": DrawingKind.SHAPE}, "shape"),
        ({"kind": DrawingKind.CHART, "caption": "Sales", "name": "Chart 2"}, "chart · Sales"),
        ({"kind": DrawingKind.CHART, "name": "Chart 2"}, "chart · Chart 2"),
    ],
)
def test_a_picture_that_is_not_embedded_says_what_it_is(drawing, text):
    shown = pieces.text_of_picture(Drawing("dr-1", "bk-1", "", (), **drawing), is_shown=False)
    assert shown == text


@pytest.mark.parametrize(
    ("drawing", "text"),
    [
        (
            {"kind": DrawingKind.PICTURE, "format": "png", "alt": "A map", "name": "Image 1"},
            "A map",
        ),
        ({"kind": DrawingKind.PICTURE, "format": "png", "name": "Image 1"}, "Image 1"),
        ({"kind": DrawingKind.PICTURE, "format": "png"}, "picture"),
    ],
)
def test_a_picture_that_is_embedded_has_its_alternative_text(drawing, text):
    shown = pieces.text_of_picture(Drawing("dr-1", "bk-1", "", (), **drawing), is_shown=True)
    assert shown == text


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("Fees", "Fees"),
        ("Fees [part 2]", "Fees [part 2]"),
        ("", "(before the first heading)"),
        ("[part 2]", "(before the first heading) [part 2]"),
    ],
)
def test_the_heading_of_a_card(heading, shown):
    assert card_heading(replace(chunk_of("text"), heading=heading)) == shown


@pytest.mark.parametrize(
    ("heading", "label", "hint"),
    [
        *(("Fees", "", ""), ("Fees", "Payment", ""), ("[part 2] Fees", "", "")),
        *(("Fees [part 2]", "", "text"), ("Fees [part 2]", "Payment", "Payment")),
        *(("", "", "text"), ("", "Payment", "Payment")),
    ],
)
def test_a_card_has_a_hint_if_its_heading_does_not_describe_it(heading, label, hint):
    chunk = replace(chunk_of("text"), heading=heading, label=label)
    [card] = Cards(ChunkSet("P", 9, "", (chunk,)), context_of(document_of(), {})).of([chunk])
    assert card.hint == hint


@pytest.mark.parametrize(
    ("rows", "label"),
    [
        (None, "Table 2, 9 × 3"),
        (TableRows("tb-2", (0, 8), TableRole.NONE), "Table 2, 9 × 3 (whole table)"),
        (TableRows("tb-2", (0, 1), TableRole.FIRST), "Table 2, rows 1 to 2 of 9 (first slice)"),
        (TableRows("tb-2", (8, 8), TableRole.LAST), "Table 2, row 9 of 9 (last slice)"),
    ],
)
def test_labels_of_tables(rows, label):
    tables = {name: Table(name, "b1", "", (), 9, 3, TableFormat.JSON, "") for name in TABLES}
    context = context_of(document_of(tables=tables), {})
    assert pieces.table_label("tb-2", rows, context) == label
    unknown = label.replace(" 2,", ",").replace(" of 9", "").replace(", 9 × 3", "")
    assert pieces.table_label("tb-2", rows, context_of(document_of(), {})) == (
        "Table" if rows is None or rows.role is TableRole.NONE else unknown
    )


TABLES = ("tb-1", "tb-2")

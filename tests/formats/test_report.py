"""The report page of a document and its chunks."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest
import written
from docx_builder import docx
from examples import some
from formats.pages import cards, own_text, page_of, said_by, squeezed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.formats.report import aligned_rows, html_report, losses, pieces, views
from docxchunk.formats.report.cards import views_of
from docxchunk.formats.report.views import (
    CellView,
    ChunkSet,
    PieceKind,
    RoleRun,
    TextPiece,
    context_of,
)
from docxchunk.lab.strategies.lgmgc import PMG
from docxchunk.markup.citations import citation
from docxchunk.model.blocks import Block, TableFormat
from docxchunk.model.chunks import (
    Chunk,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
)
from docxchunk.model.document import Document, Issue, IssueCode, Report
from docxchunk.model.objects import Table
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
    monkeypatch.setattr(views, "_mathml", lambda *_: None)


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


def test_the_outline_leads_to_each_heading(document):
    page = page_of(document, *made(document))
    links = page.xpath("//nav//li[@class != 'beginning']/a")
    headings = [block.heading for block in document.blocks if block.level]
    assert [link.xpath("string(./span)") for link in links] == headings
    for link in links:
        target = page.get_element_by_id(link.get("href")[1:])
        assert squeezed(target.text_content()) == squeezed(link.xpath("string(./span)"))
        assert f"P-{link.get('data-chunk')}" == target.xpath("ancestor::article/@id")[0]


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


def test_equations_are_mathml_where_the_extra_is_installed():
    pytest.importorskip("math_core")
    assert views.can_draw()
    drawn = views.equation(r"\frac{a}{b}\tag{2-2}", display=True)
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in drawn.mathml
    assert drawn.number == "2-2"
    assert "<math>" in views.equation("x", display=False).mathml
    assert views.equation(r"\text{<script>}", display=False).mathml.count("<script>") == 0
    assert views.equation(r"\nosuch{x}", display=False).mathml == ""
    document = api.parse(DOCUMENTS / "equations.docx")
    page = page_of(document, *made(document, cap=2000))
    assert len(page.xpath("//math")) > 10
    displayed = page.xpath("//span[contains(@class, 'equation display')]//math")
    assert page.xpath("//math[@display='block']") == displayed != []
    assert len(page.xpath("//math//annotation")) == len(page.xpath("//math"))  # to be copied
    assert page.xpath("//code[contains(@class, 'latex')]") == []
    assert_harmless(page)


def test_equations_are_latex_where_it_is_not(monkeypatch):
    views._mathml.cache_clear()
    monkeypatch.setattr(views, "_converter", lambda: None)
    assert not views.can_draw()
    assert views.equation(r"\frac{a}{b}\tag{1}", display=True).mathml == ""
    document = api.parse(DOCUMENTS / "equations.docx")
    page = page_of(document, *made(document, cap=2000))
    assert page.xpath("//math") == []
    assert len(page.xpath("//code[@class='latex display']")) > 3
    views._mathml.cache_clear()


OPENED = [sign * 60 for sign in ("(", "[", r"\{", "f(", "\\langle ")]
NESTED = ["{" * 5000 + "}" * 5000, r"\left(" * 60 + "x" + r"\right)" * 60, r"\sqrt" * 2000 + "x"]


@pytest.mark.parametrize("latex", [*OPENED, *NESTED])
def test_an_equation_that_is_too_slow_to_convert_is_shown_as_latex(latex):
    pytest.importorskip("math_core")
    assert views.equation(latex, display=True).mathml == ""


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
    assert bool(views.equation(latex, display=True).mathml) == is_drawn


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

"""The report page of a document and its chunks."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest
import written
from case_files import each_row, yes
from docx_builder import docx
from examples import some
from formats.pages import cards, own_text, page_of, said_by, squeezed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.formats import report as views
from docxchunk.formats.report import aligned_rows, html_report, losses, pieces
from docxchunk.formats.report.pieces import ChunkSet, context_of
from docxchunk.lab.strategies.lgmgc import PMG
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Chunk, Slice, SliceRole
from docxchunk.model.document import Document, Issue, IssueCode, Report
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


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
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
@pytest.mark.parametrize("cap", [200, 2000])  # below, tags are cut, and then shown as they are
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
    sets = made(document, P(), R(), cap=500)
    html5lib.HTMLParser(strict=True).parse(html_report(document, sets))  # raises ParseError
    page = page_of(document, *sets)
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


@pytest.mark.parametrize(
    ("kept", "dropped", "text", "sentence"),
    [
        (0, {}, "abcde", "There is no report of what was left out."),
        (5, {}, "abcde", "Kept 5 of the 5 characters in the file, left out 0."),
        (
            4,
            {"hidden": 2, "TOC": 1},
            "abcde",
            "Kept 4 of the 7 characters in the file, left out 3 (hidden 2; TOC 1).",
        ),
        (0, {"hidden": 1}, "", "Kept 0 of the 1 character in the file, left out 1 (hidden 1)."),
    ],
)
def test_losses(kept, dropped, text, sentence):
    report = Report(kept, dropped)
    assert losses(Document("a", "docx", "d", "", (Block("b", text),), report=report)) == sentence


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


def nested(depth):
    return "{" * depth + "x" + "}" * depth


@each_row("formats", is_drawn=yes)
def test_limits_of_equations(latex, is_drawn):
    pytest.importorskip("math_core")
    assert bool(views.equation(latex, display=True).mathml) == is_drawn


def test_cards_of_children_name_their_parents(document):
    (made_set,) = made(document, PMG(), cap=400)
    chunks = {chunk.chunk_id: chunk for chunk in made_set.chunks}
    by_number = {f"{chunk.chunk_order_index + 1}": chunk for chunk in chunks.values()}
    for card in cards(page_of(document, made_set), "set0"):
        size = "".join(card.xpath("./header/p[@class='size']//text()"))
        parent = by_number[card.get("data-number")].parent
        name = f"part of P+MG\u202f{chunks[parent].chunk_order_index + 1}" if parent else ""
        assert ("part of" in size, name in size) == (bool(parent), True)

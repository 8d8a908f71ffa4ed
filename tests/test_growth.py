"""The work and the memory for a document grow no faster than the document, also if it is hostile.

Each family of documents is read, chunked and written at n, 2n and 4n. The work is the number of
function calls, which is the same on every computer; the memory is the peak of what Python
allocates.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, TypeVar

import pytest
from docx_builder import docx

from docxchunk import (
    Block,
    Document,
    DocxchunkError,
    Reader,
    chunk,
    chunk_text,
    compare,
    parse,
    tokenizer,
)
from docxchunk.language.sentences import sentence_ends
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.reader.text_files import read_plain_text
from docxchunk.retrieval import answers

_T = TypeVar("_T")
ROOMY = 1.6  # of what a linear family may take: some steps sort, and some tables grow by doubling


def times(text: str, n: int) -> str:
    """Return the text n times, with the number of each in place of `#`."""
    return "".join(text.replace("#", str(i)) for i in range(n))


def imported(name: str, data: bytes | str, n: int = 1) -> bytes:
    return docx(
        "<p>a</p>" + f'<altChunk r:id="{name}"/>' * n,
        {f"chunks/{name}": data if isinstance(data, bytes) else data.encode()},
    )


def shared_extra_fields(n: int) -> bytes:
    """Return local headers of a ZIP file, each of which claims the following ones as its extra
    field.
    """
    header = (
        b"PK\3\4"
        + bytes.fromhex("1400000008000000000001000000ffffffff01000000")
        + b"\1\0"
        + b"\xe8\xfd"
        + b"a"
        + b"\x09\0\0\0"
    )
    return header * n + bytes(65000)


FIELD = "<begin/><code>REF x</code><separate/>"
CHART = (
    "<c:chartSpace><c:chart><c:plotArea><c:lineChart><c:ser><c:cat><c:strRef><c:strCache>{}</c:strCache></c:strRef></c:cat>"
    "<c:val><c:numRef><c:numCache>{}</c:numCache></c:numRef></c:val></c:ser></c:lineChart></c:plotArea></c:chart></c:chartSpace>"
)
SHOWN_CHART = (
    '<p><r><drawing><wp:inline><wp:docPr id="1" name="C"/><a:graphic><a:graphicData '
    'uri=""><c:chart r:id="a.xml"/></a:graphicData></a:graphic>'
    "</wp:inline></drawing></r></p>"
)
POINT = '<c:pt idx="#"><c:v>#</c:v></c:pt>'
DOCUMENTS: dict[str, tuple[int, Callable[[int], bytes]]] = {
    "paragraphs": (
        100,
        lambda n: docx(times("<p>One sentence. Another one with <r b='1'>bold</r> words.</p>", n)),
    ),
    "headings": (100, lambda n: docx(times('<p style="Heading1">Title #</p>', n))),
    "headings at all levels": (
        100,
        lambda n: docx("".join(f'<p outline="{i % 9}">Title {i}</p><p>text</p>' for i in range(n))),
    ),
    "typed headings": (
        100,
        lambda n: docx(
            times("<p><r b='1'>1.# Heading</r></p><p>Text of it.</p><p>(a) a clause; and</p>", n)
        ),
    ),
    "superscripts": (
        100,
        lambda n: docx("<p>" + '<r>ab</r><r vert="superscript">c</r>' * n + "</p>"),
    ),
    "dots": (200_000, lambda n: docx(f"<p>a{'.' * n}b</p>")),
    "dots and blanks": (5000, lambda n: docx(f"<p>a{'. ' * n}5</p>")),
    "a long word": (500, lambda n: docx(f"<p>{'abcdefghij' * n}</p>")),
    "accents": (1000, lambda n: docx(f"<p>a{chr(0x301) * n}</p>")),
    "flags": (500, lambda n: docx(f"<p>{chr(0x1F1E6) * n}</p>")),
    "right-to-left marks": (1000, lambda n: docx(f"<p>a{chr(0x200F) * n}b</p>")),
    "brackets": (200, lambda n: docx(f"<p>{'[^' * n}{'{++' * n}{'(' * n}</p>")),
    "line breaks": (300, lambda n: docx(f"<p>{'<r><t>x</t><br/></r>' * n}</p>")),
    "styles in a chain": (
        100,
        lambda n: docx(
            times('<p style="s#">x</p>', n)
            + "<styles>"
            + "".join(f'<style id="s{i}" name="s{i}" based="s{i + 1}"/>' for i in range(n))
            + "</styles>"
        ),
    ),
    "styles in a circle": (
        100,
        lambda n: docx(
            times('<p style="s#">x</p>', n)
            + "<styles>"
            + "".join(f'<style id="s{i}" name="s{i}" based="s{(i + 1) % n}"/>' for i in range(n))
            + "</styles>"
        ),
    ),
    "lists": (
        100,
        lambda n: docx(
            "<numbering>"
            + times('<list id="1#"><level text="%1."/></list>', n)
            + "</numbering>"
            + times('<p num="1#:0">x</p>', n)
        ),
    ),
    "levels that do not exist": (
        100,
        lambda n: docx(
            times(
                '<p><pPr><numPr><ilvl val="999"/><numId val="1"/></numPr></pPr><r><t>x</t></r></p>',
                n,
            )
            + '<numbering><list id="1"><level text="%1."/></list></numbering>'
        ),
    ),
    "deleted paragraph marks": (100, lambda n: docx('<p mark="del">x</p>' * n)),
    "captions without a number": (
        100,
        lambda n: docx(times('<p style="Heading1">T# <fldSimple instr="SEQ S \\s 1"/></p>', n)),
    ),
    "deleted marks of blank paragraphs": (100, lambda n: docx('<p mark="del"> </p>' * n)),
    "nested fields": (100, lambda n: docx(f"<p>{(FIELD + '<r>t</r>') * n}{'<end/>' * n}</p>")),
    "open fields": (100, lambda n: docx(f"<p>{FIELD}t</p>" * n)),
    "bookmarks": (
        100,
        lambda n: docx(
            times(
                '<p><bookmarkStart id="#" name="b#"/><hyperlink '
                'anchor="b#">x</hyperlink><bookmarkEnd id="#"/></p>',
                n,
            )
        ),
    ),
    "notes": (
        50,
        lambda n: docx(
            "<p>"
            + "".join(f'<r>x</r><fn id="{i + 1}"/>' for i in range(n))
            + "</p><footnotes>"
            + "".join(f'<footnote id="{i + 1}"><p>n</p></footnote>' for i in range(n))
            + "</footnotes>"
        ),
    ),
    "comments": (
        50,
        lambda n: docx(
            times(
                '<p><commentRangeStart id="#"/>x<commentRangeEnd id="#"/><comment-mark '
                'id="#"/></p>',
                n,
            )
            + "<comments>"
            + times('<comment id="#"><p>n</p></comment>', n)
            + "</comments>"
        ),
    ),
    "open ranges of comments": (
        50,
        lambda n: docx(
            times('<p><commentRangeStart id="#"/>x</p>', n)
            + "<comments>"
            + times('<comment id="#"><p>n</p></comment>', n)
            + "</comments>"
        ),
    ),
    "sections": (50, lambda n: docx("<p><pPr><sectPr/></pPr>x</p>" * n)),
    "text boxes": (50, lambda n: docx("<p><box><p>x</p></box></p>" * n)),
    "tables": (
        50,
        lambda n: docx(
            times(
                "<p>Table "
                "#</p><tbl><tr><tc>a</tc><tc>b</tc></tr><tr><tc>1</tc><tc>2</tc></tr></tbl>",
                n,
            )
        ),
    ),
    "a tall table": (
        100,
        lambda n: docx(f"<tbl>{times('<tr><tc>a#</tc><tc>b</tc></tr>', n)}</tbl>"),
    ),
    "a wide table": (
        100,
        lambda n: docx("<tbl>" + ("<tr>" + times("<tc>c#</tc>", n) + "</tr>") * 4 + "</tbl>"),
    ),
    "huge spans": (
        100,
        lambda n: docx("<tbl>" + '<tr><tc span="99999">a</tc><tc>b</tc></tr>' * n + "</tbl>"),
    ),
    "spans of all widths": (
        100,
        lambda n: docx(
            "<tbl>"
            + "".join(f'<tr><tc span="{i + 1}">a</tc><tc>b</tc></tr>' for i in range(n))
            + "</tbl>"
        ),
    ),
    "merged cells": (
        100,
        lambda n: docx(
            "<tbl>" + '<tr><tc merge="restart">a</tc><tc>b</tc></tr><tr><tc '
            'merge="continue"/><tc>b</tc></tr>' * n + "</tbl>"
        ),
    ),
    "one merged cell": (
        100,
        lambda n: docx(
            "<tbl><tr><tc "
            'merge="restart">a</tc><tc>b</tc></tr>'
            + '<tr><tc merge="continue"/><tc>b</tc></tr>' * n
            + "</tbl>"
        ),
    ),
    "the same word": (500, lambda n: docx(f"<p>{'word ' * n}</p>")),
    "a large cell": (
        1000,
        lambda n: docx(
            f"<tbl><tr><tc>h</tc><tc>i</tc></tr><tr><tc>{'word ' * n}</tc><tc>1</tc></tr></tbl>"
        ),
    ),
    "rows of a header": (
        100,
        lambda n: docx(
            "<tbl>"
            + "<tr><trPr><tblHeader/></trPr><tc>head words</tc><tc>b</tc></tr>" * n
            + "<tr><tc>1</tc><tc>2</tc></tr></tbl>"
        ),
    ),
    "equations": (100, lambda n: docx(f"<p>{'<eq>x</eq>' * n}</p>")),
    "pictures": (
        20,
        lambda n: docx(
            '<p><pic src="a.png"/></p>' * n, {"media/a.png": b"\x89PNG\r\n\x1a\n" + bytes(100)}
        ),
    ),
    "points of a chart": (
        100,
        lambda n: docx(
            SHOWN_CHART, {"charts/a.xml": CHART.format(times(POINT, n), times(POINT, n))}
        ),
    ),
    "a chart many times": (
        20,
        lambda n: docx(
            SHOWN_CHART * n, {"charts/a.xml": CHART.format(times(POINT, n), times(POINT, n))}
        ),
    ),
    "series that are each other's blanks": (
        100,
        lambda n: docx(
            SHOWN_CHART,
            {
                "charts/a.xml": "<c:chartSpace>"
                + times(f"<c:ser><c:val>{POINT}</c:val></c:ser>", n)
                + "</c:chartSpace>"
            },
        ),
    ),
    "a diagram many times": (
        20,
        lambda n: docx(
            '<p><r><drawing><dgm:relIds r:dm="d.xml"/></drawing></r></p>' * n,
            {
                "diagrams/d.xml": "<dgm:dataModel>"
                + times("<dgm:pt><a:p><a:t>#</a:t></a:p></dgm:pt>", n)
                + "</dgm:dataModel>"
            },
        ),
    ),
    "a picture that is left out, many times": (
        20,
        lambda n: docx('<p><pic src="a.png"/></p>' * n, {"media/a.png": b""}),
    ),
    "HTML": (100, lambda n: imported("a.html", "<p>x</p><ol><li>y</ol>" * n)),
    "an HTML part many times": (20, lambda n: imported("a.html", "<p>x</p>" * n, n)),
    "a Word part many times": (20, lambda n: imported("a.docx", docx("<p>x</p>" * n), n)),
    "HTML spans": (
        40,
        lambda n: imported(
            "a.html", f"<table>{'<tr><td rowspan=99999 colspan=60>x</td></tr>' * n}</table>"
        ),
    ),
    "attributes of a tag": (300, lambda n: imported("a.html", f"<p{times(' a#=b', n)}>x")),
    "headers of a web archive": (
        500,
        lambda n: imported("a.mht", f"Content-Type: {'text/html;' * n}\r\n\r\n<p>x"),
    ),
    "quotes in a web archive": (
        500,
        lambda n: imported("a.mht", "Content-Type: text/html; charset=" + '"' * n + "\r\n\r\n<p>x"),
    ),
    "parts of a web archive": (
        100,
        lambda n: imported(
            "a.mht", "Content-Type: multipart/related; boundary=a\r\n\r\n" + "--a\r\n\r\nx\r\n" * n
        ),
    ),
    "shared extra fields": (50, shared_extra_fields),
    "tracked changes of a paragraph": (
        100,
        lambda n: docx(
            "<p>"
            + times('<ins author="A" date="#">a</ins>', n)
            + times('<del author="B" date="#">b</del>', n)
            + times('<r><t>c</t><br/></r><ins author="A" date="#">d#</ins>', n)
            + "</p>"
        ),
    ),
    "tracked rows": (
        200,
        lambda n: docx(
            "<tbl>"
            + times(
                '<tr><trPr><ins author="A" date="1"/></trPr><tc><p><moveTo author="A" date="#">b'
                "</moveTo></p></tc></tr>",
                n,
            )
            + "</tbl>"
        ),
    ),
    "overlapping comments": (
        50,
        lambda n: docx(
            "<comments>"
            + times('<comment id="#"><p>n</p></comment>', n)
            + "</comments>"
            + times('<commentRangeStart id="#"/>', n)
            + times("<p>word #</p>", n)
            + times('<commentRangeEnd id="#"/>', n)
        ),
    ),
}
REVISED = ("tracked changes of a paragraph", "tracked rows", "overlapping comments")
ASKED: dict[str, tuple[int, Callable[[int], bytes]]] = {
    # without those whose rows have n * n cells when merged cells are written out
    **{
        name: DOCUMENTS[name]
        for name in (
            *("paragraphs", "headings", "headings at all levels", "typed headings", "brackets"),
            *("dots and blanks", "the same word", "notes", "tables", "a tall table"),
            *("a wide table", "a large cell"),
        )
    },
    "sections of one number": (
        100,
        lambda n: docx(
            '<p style="Heading1">1. One</p><p>See Section 1 (One).</p>'
            '<p style="Heading1">Section 2 Two</p><p>See Section 2 about it.</p>' * n
        ),
    ),
    "paragraphs of a schedule": (
        100,
        lambda n: docx(
            '<p style="Heading1">Schedule 1</p>'
            + times("<p>#. As paragraph # of Schedule 1 says.</p>", n)
        ),
    ),
    "references in a line": (
        100,
        lambda n: docx(f"<p>{'Section 1(a) of Part 2, 第一条 ' * n}</p>"),
    ),
    "items in items": (100, lambda n: docx(f"<p>See clause 1{'(a)' * n} of Part 1.</p>")),
    "parts of parts": (100, lambda n: docx(f"<p>See clause 1{' of Part 1' * n}.</p>")),
    "headings without words": (100, lambda n: docx('<p style="Heading1">.....</p>' * n)),
    "definitions": (100, lambda n: docx(times("<p>“Term #” means the word #;</p>", n))),
    "few different words": (500, lambda n: docx(f"<p>{'a b b ' * n}e a a f a</p>")),
    "a long row": (
        50,
        lambda n: docx(f"<tbl><tr>{'<tc>One sentence. Another one of it. </tc>' * n}</tr></tbl>"),
    ),
}
QUESTIONS: dict[str, Callable[[Document], object]] = {
    "Markdown": lambda document: document.to_markdown(),
    "units": lambda document: document.units(chunk(document, max_tokens=32, overlap=0)),
    "outline": lambda document: Reader(document).outline(),
    "read": lambda document: Reader(document).read("#1", 10**9),
    "find": lambda document: Reader(document).find("word", limit=5),
    "define": lambda document: answers.define(Reader(document), "term"),
    "references": lambda document: Reader(document).references("#1"),
    "cite": lambda document: Reader(document).cite("a a b " * 100 + "word word"),
    "cite parts": lambda document: Reader(document).cite("word word word word … " * 9 + "a"),
}
# small, so that families that grow by squares reach it
LIMITS = ParseOptions(comments=True, limits=Limits(imported=1 << 17))


@pytest.mark.slow
@pytest.mark.parametrize("family", DOCUMENTS)
def test_work_and_memory_grow_with_the_document(family):
    size, make = DOCUMENTS[family]
    assert_linear([make(size * k) for k in (1, 2, 4)], use)


@pytest.mark.slow
@pytest.mark.parametrize("family", ASKED)
def test_the_work_of_each_question_grows_with_the_document(family):
    size, make = ASKED[family]
    documents = [parse(make(size * k), name="a.docx") for k in (1, 2, 4)]
    for question in QUESTIONS.values():
        assert_linear(documents, question)


@pytest.mark.slow
def test_the_parts_of_a_long_formula_are_found_in_one_pass():
    """`Fragment.part` spread the whole formula for each of its parts."""

    def calls(n: int) -> int:
        formula = docx(f"<p><m:oMath><m:r><m:t>{'x+' * n}</m:t></m:r></m:oMath></p>")
        return work(formula, chunk_as_markdown)[0]

    calls(200)
    assert calls(800) <= ROOMY * 4 * calls(200)


def chunk_as_markdown(data: bytes) -> None:
    chunk(parse(data, name="a.docx"), strategy="R", max_tokens=64, tables="markdown")


def lines_like(line: str) -> Callable[[int], list[str]]:
    return lambda n: times(f"{line}\n", n).split("\n")


VERSIONS: dict[str, tuple[Callable[[int], list[str]], Callable[[int], list[str]]]] = {
    "a word in each": (lines_like("a b c d# e f"), lines_like("a b c d# e x f")),
    "no common line": (lines_like("a b c d#"), lines_like("e b f g#")),
    "two orders": (lines_like("l#"), lambda n: lines_like("l#")(n)[::-1]),
    "repeated words": (lambda n: ["a a b " * n], lambda n: ["a b b " * n]),
    "joined": (lines_like("w# x# y#"), lambda n: [times("w# x# y# ", n)]),
    "divided": (lambda n: [times("w# x# y# ", n)], lines_like("w# x# y#")),
    "numbers": (lines_like("#. a b c"), lines_like("9.#. a b c")),
    "marks of notes": (lines_like("[^[^# a"), lines_like("[^[^# b")),
}


@pytest.mark.slow
@pytest.mark.parametrize("family", VERSIONS)
def test_the_work_of_a_comparison_grows_with_the_documents(family):
    def compared(n: int) -> int:
        old, new = (
            Document("a", "docx", "d", "", (Block("b", "\n".join(side(n))),))
            for side in VERSIONS[family]
        )
        calls, _ = work(b"", lambda _: compare(old, new) and None)
        return calls

    compared(100)  # fills the caches
    assert compared(400) <= ROOMY * 4 * compared(100)


@pytest.mark.slow
@pytest.mark.parametrize("family", REVISED)
def test_the_work_of_lists_of_changes_grows_with_the_document(family):
    size, make = DOCUMENTS[family]
    assert_linear([make(size * k) for k in (1, 2, 4)], revisions)


def assert_linear(growing: list[_T], use: Callable[[_T], object]) -> None:
    """Check that three arguments, each twice as large as the one before, take work in
    proportion.
    """
    work(growing[-1], use)  # fills the caches, also those that only long texts need
    (calls, memory), (twice, _), (four_times, more_memory) = (work(each, use) for each in growing)
    assert four_times <= ROOMY * 4 * calls, (calls, twice, four_times)
    assert more_memory <= ROOMY * 4 * memory, (memory, more_memory)


def work(argument: _T, use: Callable[[_T], object]) -> tuple[int, int]:
    """Return the number of function calls that an argument takes, and the peak memory in bytes."""
    calls = 0

    def count(_: FrameType, event: str, __: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    tracemalloc.start()
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        use(argument)
    finally:
        sys.setprofile(before)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return calls, memory


def use(data: bytes) -> None:
    try:
        document = parse(data, options=LIMITS, name="a.docx")
    except DocxchunkError:
        return
    document.to_markdown()
    for settings in (
        {},
        {"max_tokens": 32, "overlap": 4},
        {"strategy": "R", "max_tokens": 64, "overlap": 8},
        {"strategy": "P-staged", "max_tokens": 64},
    ):
        chunk(document, **settings)


def revisions(data: bytes) -> None:
    reader = Reader(parse(data, name="a.docx"))
    reader.changes()
    reader.comments()
    reader.revisions.mentions("word d1", "words")


def table_of_long_names(n: int) -> bytes:
    """Return a table that is longer as it is read, because the columns are named in each row."""
    names = "<tc><p>The long name of a column</p></tc>" * 3
    rows = times("<tr><tc><p>#</p></tc><tc><p>b#</p></tc><tc><p>c</p></tc></tr>", n)
    return docx(f"<p style='Heading1'>P</p><tbl><tr header='1'>{names}</tr>{rows}</tbl>")


def chunk_with_reserve(n: int, count: Callable[[str], int]) -> None:
    chunk(table_of_long_names(n), max_tokens=64, reserve=20, overlap=0, tokenizer=count)


def search_by_meaning(n: int, count: Callable[[str], int]) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed: no search")
    from docxchunk.retrieval.folders.collection import Collection

    class Counting:
        name = fingerprint = "counting"

        def embed(self, texts: list[str]) -> Any:
            return np.array([(1.0, 0.0 * count(text)) for text in texts], np.float32)

    with TemporaryDirectory() as folder:
        for number in range(n // 10):
            text = times(f"<p>Sentence # of {number}, about rain.</p>", 10)
            Path(folder, f"{number}.docx").write_bytes(docx(text))
        Collection.at(folder, cache=False, embedder=Counting()).search("rain")


def evaluate(n: int, count: Callable[[str], int]) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed: no search")
    from docxchunk.lab.evaluation import runs
    from docxchunk.lab.evaluation.chunkers import named
    from docxchunk.lab.evaluation.plans import Plan
    from docxchunk.lab.evaluation.questions import UnplacedQuestion, benchmark
    from docxchunk.lab.evaluation.retrievers import bm25

    lines = [f"Line {number} is about number {number}." for number in range(n)]
    asked = [UnplacedQuestion(f"What of {i}?", "a.txt", (lines[i],)) for i in range(0, n, 10)]
    document = read_plain_text("\n\n".join(lines).encode(), "a.txt", "a.txt")
    chunkers = {"R": named("R", tokenizer(count))}
    runs.run(benchmark("lines", [document], asked), Plan(chunkers, {"bm25": bm25}, max_tokens=32))


@pytest.mark.slow
@pytest.mark.parametrize("use_model", [chunk_with_reserve, search_by_meaning, evaluate])
def test_what_a_model_reads_grows_with_the_documents(use_model):
    def read(n: int) -> tuple[int, int]:
        texts: list[str] = []
        use_model(n, lambda text: texts.append(text) or len(text.split()))
        return len(texts), sum(map(len, texts))

    for few, many in zip(read(50), read(200), strict=True):
        assert many <= ROOMY * 4 * few


@pytest.mark.parametrize(
    "text",
    ["." * 10**5, ". " * 50_000, "?!" * 50_000, '."' * 50_000, "。" * 10**5, ".[^1]" * 20_000],
)
def test_runs_of_punctuation_are_read_once(text):
    # the runs took hours, when each was read to its end from every dot
    assert len(sentence_ends(f"a{text}b", 0, len(text) + 2)) <= len(text)


def test_dots_are_chunked():
    assert len(chunk_text("a" + "." * 100_000 + "b")) < 10

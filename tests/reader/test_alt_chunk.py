"""Content in parts of its own: HTML, web archives, text and Word files."""

import io
import re
import zipfile

import pytest
from case_files import cases
from docx_builder import docx, zipped
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st
from views import VIEWS

from docxchunk import api
from docxchunk.model.document import Dropped
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.records.laws import document_faults


@pytest.mark.parametrize("case", cases("html"))
def test_case(case):
    case.check()


def with_part(name, data, around="{}", options=None):
    """Return the document of a Word file with an altChunk."""
    source = docx(around.format(f'<altChunk r:id="{name}"/>'), {f"chunks/{name}": data})
    return api.parse(source, options=options, name="a")


def text_of(page):
    return [block.content for block in with_part("a.html", page).blocks]


HEADER = "<meta http-equiv='content-type' content='text/html; charset=koi8-r'><p>Ж</p>"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>é</p>".encode("cp1252"), "é"),
        ("<p>é</p>".encode(), "é"),
        ("<p>é</p>".encode("utf-8-sig"), "é"),
        ("<p>é</p>".encode("utf-16"), "é"),
        ('<meta charset="koi8-r"><p>Ж</p>'.encode("koi8-r"), "Ж"),
        (HEADER.encode("koi8-r"), "Ж"),
        ('<meta charset="nonsense"><p>charset=koi8-r é</p>'.encode("cp1252"), "charset=koi8-r é"),
        (b"<p>\x00\xc3\xa9&#1;&#11;&#xfffe;</p>", "é"),
        (b'<meta charset="unicode_escape"><p>\\u0061 \xe9</p>', "\\u0061 é"),
    ],
)
def test_encodings(page, text):
    assert text_of(page) == [text]


@pytest.mark.parametrize("tag", ["div", "b", "table><tr><td", "ul><li"])
def test_deeply_nested(tag):
    page = b"<p>first</p>" + f"<{tag}>".encode() * 3000 + b"deep"
    document = with_part("a.html", page, "<p>a</p>{}")
    assert document.blocks[0].content.startswith("a\nfirst")
    assert [issue.code for issue in document.issues] == ["part-broken"]


# tags of lists, tables and what stands around their content, well and badly nested
NESTED = "p div b a form ul ol li table caption thead tbody tfoot tr td th pre h1 sup !-- script"
TAGS = st.sampled_from(NESTED.split()).flatmap(
    lambda name: st.sampled_from([f"<{name}>", f"</{name}>"])
)


@given(st.lists(st.one_of(TAGS, st.text(max_size=5)), max_size=20).map("".join))
@settings(max_examples=some(150), deadline=None)
def test_any_page_is_read(page):
    document = with_part("a.html", page.encode("utf-8", "replace"), "<p>a</p>{}")
    assert list(document_faults(document)) == []


shown = st.sampled_from(NESTED.split()[:-2])
nested = st.recursive(
    st.just("{}"),
    lambda inner: st.builds(
        "<{0}>{1}{2}".format,
        shown,
        st.lists(inner, max_size=4).map("".join),
        st.one_of(st.just(""), shown.map("</{}>".format)),
    ),
    max_leaves=25,
)


@given(st.lists(nested, max_size=3).map("".join))
@settings(max_examples=some(300), deadline=None)
def test_every_word_is_in_the_blocks_once(page):
    words = [f" w{number}. " for number in range(page.count("{}"))]
    blocks = text_of(page.format(*words).encode()) if words else []
    assert sorted(re.findall(r"w\d+\.", " ".join(blocks))) == sorted(map(str.strip, words))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p{}>a", []),
        ("<script>if (a<b c='\"</script><p{}>a", []),
        ('<!-- <p x=" --><p{} title="b">a', []),
        ("<script{}>x", []),
        ("<p title='{}'>a", ["a"]),
        ("<!-- <p {}> -->a", ["a"]),
        ("<script>if (a<b {}) </script>a", ["a"]),
    ],
)
def test_a_tag_with_very_many_attributes_is_not_parsed(page, text):
    many = "".join(f" a{i}=>" for i in range(300)) if "'{}'" in page else " a='>'" * 300
    document = with_part("a.html", page.format(many).encode())
    assert [block.content for block in document.blocks] == text
    assert [issue.code for issue in document.issues] == ([] if text else ["part-broken"])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\x04\x02\x07\x0e b", "a b"),
        (b"caf\xe9", "café"),
        ("é".encode("utf-16"), "é"),
        (b"b\n\nc", "b\nc"),
    ],
)
def test_plain_text(data, text):
    [block] = with_part("a.txt", data, "<p>x</p>{}<p>y</p>").blocks
    assert block.content == f"x\n{text}\ny"
    assert [line.paragraph for line in block.lines] == [*range(1, len(block.lines) + 1)]


def test_the_characters_of_all_parts_are_counted():
    source = docx(
        '<p>a</p><altChunk r:id="a.docx"/><altChunk r:id="b.html"/><p>e</p>',
        {"chunks/a.docx": docx("<p>bb</p><p><del>c</del></p>"), "chunks/b.html": b"<p>ddd</p>"},
    )
    report = api.parse(source, name="a").report
    assert (report.emitted, report.dropped) == (7, {"deleted text": 1})


WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
OTHER = "application/octet-stream"
SHEETS = zipped({"xl/workbook.xml": b"<workbook/>"})
EQUATION = '<equation id="eq-0cc175b9c0f1b6a831c399e269772661-0001" format="latex">x</equation>'


@pytest.mark.parametrize(
    ("name", "kind", "data", "content"),
    [
        ("a.html", "text/plain; charset=utf-8", b"<p>word</p>", "<p>word</p>"),
        ("a.bin", "TEXT/HTML; charset=utf-8", b"<p>word</p>", "word"),
        ("a.bin", "application/xhtml+xml", b"<p>word</p>", "word"),
        ("a.bin", "multipart/related; x=y", b"Content-Type: text/html\n\n<p>word</p>", "word"),
        ("a.MHT", "", b"Content-Type: text/html\n\n<p>word</p>", "word"),
        ("a.Txt", "", b"<p>word</p>", "<p>word</p>"),
        ("a.xhtml", "", b"<p>word</p>", "word"),
        ("a.bin", OTHER, docx("<p>word</p>"), "word"),
        ("a.docx", "", docx("<p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></p>"), EQUATION),
        ("a.bin", OTHER, b"word PK", "unsupported-object"),
        ("a.bin", WORD, b"word", "part-broken"),
        ("a.xlsx", WORKBOOK, SHEETS, "part-broken"),
        ("a.xlsx", OTHER, SHEETS, "part-broken"),
    ],
)
def test_the_type_of_a_part_decides_before_its_name(name, kind, data, content):
    source = docx(f'<altChunk r:id="{name}"/>', {f"chunks/{name}": data})
    document = api.parse(with_type(source, f"/word/chunks/{name}", kind), name="a")
    codes = [issue.code for issue in document.issues]
    assert ([b.content for b in document.blocks] or codes) == [content]


def with_type(source, name, kind):
    """Return the package in which a part has this content type; "": none."""
    with zipfile.ZipFile(io.BytesIO(source)) as package:
        files = {each: package.read(each) for each in package.namelist()}
    override = f'<Override PartName="{name}" ContentType="{kind}"/>' if kind else ""
    files["[Content_Types].xml"] = files["[Content_Types].xml"].replace(
        b"</Types>", f"{override}</Types>".encode()
    )
    return zipped(files)


def test_a_workbook_is_named_in_an_issue():
    [issue] = with_part("a.xlsx", SHEETS).issues
    assert issue.message == (
        "The content of word/chunks/a.xlsx was not read: "
        "This is an Excel workbook, not a Word file."
    )


PAGE, QUOTED = "Content-Type: text/html", "Content-Transfer-Encoding: quoted-printable"
RELATED, MIXED = 'Content-Type: multipart/related; boundary="a b"', "multipart/mixed; boundary=a"
TWO_DASHES = "\r\n\r\n<p>é\r\n-- \r\n--a</p>\r\n--a b--\r\nno"
ALTERNATIVE = "Content-Type: multipart/alternative;\r\n boundary=b"


@pytest.mark.parametrize(
    ("head", "content", "texts"),
    [
        (f"{PAGE}; charset=utf-8", "<p>é</p>", ["é"]),
        (f"{PAGE}; charset=\0", "<p>é</p>", ["é"]),
        (f"{PAGE}; charset=utf-8", '<meta charset="windows-1252"><p>é</p>', ["é"]),
        (f"{PAGE}\r\n{QUOTED}", '<meta charset="windows-1252"><p>=E9</p>', ["é"]),
        (f'content-TYPE:text/html;\r\n\tcharset="utf-8"\r\n{QUOTED}', "<p>=C3=\r\n=A9</p>", ["é"]),
        (f"{PAGE}\r\nContent-Transfer-Encoding: base64", "PHA+w6k8L3A+", ["é"]),
        (
            RELATED,
            f"no\r\n--a b\r\nContent-Type: image/png\r\n\r\nx\r\n--a b\r\n{PAGE}{TWO_DASHES}",
            ["é -- --a"],
        ),
        (
            f"Content-Type: {MIXED}",
            f"--a\r\n{ALTERNATIVE}\r\n\r\n--b\r\n{PAGE}\r\n\r\n<p>é</p>\r\n--b--\r\n--a--",
            ["é"],
        ),
        ("", "x", ["unsupported-object"]),
        ("Content-Type: image/png", "x", ["unsupported-object"]),
    ],
)
def test_web_archives(head, content, texts):
    document = with_part("a.mht", f"{head}\r\n\r\n{content}".encode())
    codes = [issue.code for issue in document.issues]
    assert [block.content for block in document.blocks] + codes == texts


def test_a_part_is_read_once():
    document = with_part("a.html", b"<p>once</p>", "{0}<p>and</p>{0}")
    assert document.blocks[0].content == "once\nand"
    assert [issue.code for issue in document.issues] == ["unsupported-object"]


SMALL = ParseOptions(limits=Limits(imported=6000))


@pytest.mark.parametrize(
    ("name", "data", "content"),
    [
        ("a.html", b"<i></i>" * 200, "a\nb"),
        ("a.html", b"<table>" + b"<tr><td rowspan=99>x" * 30, "a"),
        ("a.txt", b"x\n" * 100, "a\nb"),
        ("a.docx", docx("<p/>" * 200), "a\nb"),
    ],
)
def test_the_limit_of_all_separate_parts(name, data, content):
    source = docx(
        f'<p>a</p><altChunk r:id="{name}"/><altChunk r:id="b.txt"/>',
        {f"chunks/{name}": data, "chunks/b.txt": b"b"},
    )
    document = api.parse(source, options=SMALL, name="a")
    assert document.blocks[0].content == content
    assert document.report.emitted == 1
    issue = document.issues[0]
    assert issue.message.endswith(
        "The content of separate parts is over 6,000 characters; raise the limit "
        "`imported` if you trust the file."
    )


@pytest.mark.parametrize(
    ("ending", "data"),
    [("html", b"<p>x</p>" * 20), ("txt", b"x\n" * 40), ("docx", docx("<p/>" * 20))],
)
def test_each_part_leaves_less_room_for_the_next(ending, data):
    source = docx(
        f'<altChunk r:id="a.{ending}"/><altChunk r:id="b.{ending}"/>',
        {f"chunks/a.{ending}": data, f"chunks/b.{ending}": data},
    )
    [issue] = api.parse(source, options=SMALL, name="a").issues
    assert issue.message.startswith(f"The content of word/chunks/b.{ending} was not read: The")


def test_a_part_is_refused_by_another_limit_too():
    deep = docx("<sdt><sdtContent>" * 20 + "<p>b</p>" + "</sdtContent></sdt>" * 20)
    [issue] = with_part("b.docx", deep, "{}", ParseOptions(limits=Limits(depth=30))).issues
    assert "`depth`" in issue.message


# -- Word files in Word files


@pytest.mark.parametrize("case", cases("table_headers") + cases("headings"))
def test_a_word_file_in_a_word_file_is_read_as_by_itself(case):
    inner = case.document()
    outer = with_part("a.docx", docx(case.source, case.parts), "{}", case.options)
    views = ("outline", "tables", "headers", "notes")  # pictures are not kept
    assert [VIEWS[view](outer) for view in views] == [VIEWS[view](inner) for view in views]


REFERENCES = '<p>{}<fn id="2"/><en id="2"/><comment-mark id="2"/></p>'
NOTES = (
    '<footnotes><footnote id="2">{0} foot</footnote><footnote id="3">unused</footnote></footnotes>'
    '<endnotes><endnote id="2">{0} end</endnote></endnotes>'
    '<comments><comment id="2"><p id="00000001">{0} comment</p></comment></comments>'
)
KINDS = ("foot", "end", "comment")


def with_notes(name, after="", parts=None):
    text = REFERENCES.format(name)
    return docx(f"{NOTES.format(name)}{text}{after}{REFERENCES.format('last')}", parts)


def test_notes_of_a_word_file_in_a_word_file_are_its_own():
    inner = with_notes("inner", "<sectPr/><p><pPr><sectPr/></pPr>x</p>")
    source = with_notes("outer", '<altChunk r:id="b.docx"/>', {"chunks/b.docx": inner})
    document = api.parse(source, options=ParseOptions(comments=True), name="a")
    numbers = ["1", "i", "c1", "2", "ii", "c2"]
    texts = [f"{whose} {kind}" for whose in ("outer", "inner") for kind in KINDS]
    assert document.blocks[0].content.split("\n") == [
        "outer[^1][^i][^c1]",
        "inner[^2][^ii][^c2]",
        "x",
        "last[^2][^ii][^c2]",
        "last[^1][^i][^c1]",
        *map("[^{}]: {}".format, numbers, texts),
    ]
    assert [note.id for note in document.notes] == ["2"] * 3 + ["word/chunks/b.docx#2"] * 3
    assert document.report.dropped[Dropped.NOTE_UNUSED] == 2 * len("unused")
    assert document.issues == ()


@pytest.mark.parametrize("where", ["eachSect", "eachPage", "continuous"])
def test_notes_after_a_word_file_continue_the_numbers_of_the_section(where):
    note = '<p>{}<fn id="{}"/></p>'
    text = "".join(f'<footnote id="{i}">{{0}} {i}</footnote>' for i in (2, 3))
    inner = f"{note.format('a', 2)}<p><pPr><sectPr/></pPr>x</p>{note.format('b', 3)}"
    restart = f'<sectPr><footnotePr><numRestart val="{where}"/></footnotePr></sectPr>'
    document = with_part(
        "b.docx",
        docx(f"<footnotes>{text.format('inner')}</footnotes>{inner}"),
        f'<footnotes>{text.format("outer")}</footnotes><p>first<r><br type="page"/></r></p>'
        f"{note.format('c', 2)}{{}}{note.format('d', 3)}{restart}",
    )
    texts = ["outer 2", "inner 2", "inner 3", "outer 3"]
    assert [(n.number, n.text) for n in document.notes] == [*zip("1234", texts, strict=True)]


def test_a_reply_in_a_word_file_is_to_a_comment_there():
    comments = (
        '<comments><comment id="1"><p id="00000001">q</p></comment>'
        '<comment id="2"><p id="00000002">{}</p></comment></comments>'
        '<commentsExtended><w15:commentEx w15:paraId="00000002" w15:paraIdParent="00000001"/>'
        '</commentsExtended><commentRangeStart id="1"/><p>{}</p><commentRangeEnd id="1"/>'
        '<p>x<comment-mark id="1"/><comment-mark id="2"/></p>'
    )
    inner = docx(comments.format("two", "end"))
    options = ParseOptions(everything=True)
    [block] = with_part("b.docx", inner, comments.format("one", "begin") + "{}", options).blocks
    assert block.content.split("\n")[4:] == [
        "[^c1]: (on “begin”) q",
        "[^c2]: (reply to c1) one",
        "[^c3]: (on “end”) q",
        "[^c4]: (reply to c3) two",
    ]


def test_the_notes_of_a_word_file_count_for_the_limit():
    options = ParseOptions(limits=Limits(imported=12_000))
    for inner, is_read in ((docx(REFERENCES.format("inner")), True), (with_notes("inner"), False)):
        [block] = with_part("b.docx", inner, "<p>a</p>{}", options).blocks
        assert ("inner" in block.content) is is_read


def test_what_a_word_file_has_beside_its_text_is_counted():
    inner = with_notes("inner", "<header><p>top</p></header><footer><p>below</p></footer>")
    dropped = with_part("b.docx", inner, "<p>a</p>{}").report.dropped
    assert dropped[Dropped.COMMENT] == len("inner comment")
    assert dropped[Dropped.HEADER_FOOTER] == len("topbelow")

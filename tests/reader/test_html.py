import io
import re
import zipfile

import pytest
from case_files import cases
from docx_builder import docx, zipped
from hypothesis import given, settings
from hypothesis import strategies as st
from ooxml.test_workbook import workbook

from docxchunk import api
from docxchunk.markup.laws import document_faults
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.reader import html


@pytest.mark.parametrize("case", cases("html"))
def test_case(case):
    case.check()


def text_of(page):
    return [
        block.content
        for block in api.parse(
            docx('<altChunk r:id="a.html"/>', {"chunks/a.html": page}), name="a"
        ).blocks
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>é</p>".encode("cp1252"), "é"),
        ("<p>é</p>".encode(), "é"),
        ("<p>é</p>".encode("utf-8-sig"), "é"),
        ("<p>é</p>".encode("utf-16"), "é"),
        ('<meta charset="koi8-r"><p>Ж</p>'.encode("koi8-r"), "Ж"),
        (
            "<meta http-equiv='content-type' content='text/html; charset=koi8-r'><p>Ж</p>".encode(
                "koi8-r"
            ),
            "Ж",
        ),
        ('<meta charset="nonsense"><p>é</p>'.encode(), "é"),
        (b"<p>\x00\xc3\xa9&#1;</p>", "é"),
    ],
)
def test_encodings(page, text):
    assert text_of(page) == [text]


@pytest.mark.parametrize("tag", ["div", "b", "table><tr><td", "ul><li"])
def test_deeply_nested(tag):
    page = b"<p>first</p>" + f"<{tag}>".encode() * 3000 + b"deep"
    document = api.parse(
        docx('<p>a</p><altChunk r:id="a.html"/>', {"chunks/a.html": page}), name="a"
    )
    assert document.blocks[0].content.startswith("a\nfirst")
    assert [issue.code for issue in document.issues] == ["part-broken"]


TAGS = [
    "p",
    "b",
    "div",
    "ul",
    "li",
    "ol",
    "table",
    "tr",
    "td",
    "th",
    "thead",
    "h1",
    "a",
    "pre",
    "br",
    "script",
    "sup",
    "caption",
    "img",
    "!--",
    "/p",
    "/table",
]
pages = st.lists(
    st.one_of(
        st.sampled_from(TAGS).map("<{}>".format),
        st.sampled_from(TAGS).map("</{}>".format),
        st.text(max_size=5),
    ),
    max_size=20,
)


@given(pages.map("".join))
@settings(max_examples=150, deadline=None)
def test_any_page_is_read(page):
    source = docx(
        '<p>a</p><altChunk r:id="a.html"/>', {"chunks/a.html": page.encode("utf-8", "replace")}
    )
    assert list(document_faults(api.parse(source, name="a"))) == []


# tags of lists, tables and what stands around their content, well and badly nested
NESTED = "p div b a form ul ol li table caption thead tbody tfoot tr td th pre h1 details".split()
nested = st.recursive(
    st.just("{}"),
    lambda inner: st.builds(
        "<{0}>{1}{2}".format,
        st.sampled_from(NESTED),
        st.lists(inner, max_size=4).map("".join),
        st.one_of(st.just(""), st.sampled_from(NESTED).map("</{}>".format)),
    ),
    max_leaves=25,
)


@given(st.lists(nested, max_size=3).map("".join))
@settings(max_examples=300, deadline=None)
def test_every_word_is_in_the_blocks_once(page):
    words = [f" w{number}. " for number in range(page.count("{}"))]
    blocks = text_of(page.format(*words).encode()) if words else []
    assert sorted(re.findall(r"w\d+\.", " ".join(blocks))) == sorted(map(str.strip, words))


@pytest.mark.parametrize(
    "page",
    [
        '<p>a</p><table title="a&#1;b"><tr><td>c</table>',
        '<a href="https://a.example/&#1;&#xd800;">c</a>',
        '<meta charset="unicode_escape"><p>\\ud800 c</p>',
        '<meta charset="idna"><p>c</p>',
        '<meta charset="utf-7"><p>+2AA- c</p>',
        "<p>&#xd800;&#11;&#xfffe;c</p>",
    ],
)
def test_characters_that_xml_does_not_allow(page):
    (text,) = text_of(page.encode())
    assert "c" in text


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"a\x04\x02\x07\x0e b", "a b"), (b"caf\xe9", "café"), ("é".encode("utf-16"), "é")],
)
def test_plain_text(data, text):
    assert (
        api.parse(docx('<altChunk r:id="a.txt"/>', {"chunks/a.txt": data}), name="a")
        .blocks[0]
        .content
        == text
    )


def test_each_line_of_a_text_is_a_paragraph():
    source = docx('<p>a</p><altChunk r:id="a.txt"/><p>d</p>', {"chunks/a.txt": b"b\n\nc"})
    [block] = api.parse(source, name="a").blocks
    assert block.content == "a\nb\nc\nd"
    assert [line.paragraph for line in block.lines] == [1, 2, 3, 4]


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
EQUATION = '<equation id="eq-0cc175b9c0f1b6a831c399e269772661-0001" format="latex">x</equation>'


@pytest.mark.parametrize(
    ("name", "kind", "data", "content"),
    [
        ("a.bin", "text/plain; charset=utf-8", b"<p>word</p>", ["<p>word</p>"]),
        ("a.html", "text/plain", b"<p>word</p>", ["<p>word</p>"]),
        ("a.bin", "TEXT/HTML; charset=utf-8", b"<p>word</p>", ["word"]),
        ("a.bin", "application/xhtml+xml", b"<p>word</p>", ["word"]),
        ("a.bin", "multipart/related; x=y", b"Content-Type: text/html\n\n<p>word</p>", ["word"]),
        ("a.MHT", "", b"Content-Type: text/html\n\n<p>word</p>", ["word"]),
        ("a.Txt", "", b"<p>word</p>", ["<p>word</p>"]),
        ("a.xhtml", "", b"<p>word</p>", ["word"]),
        ("a.bin", WORKBOOK, workbook("<row><c><v>1</v></c></row>"), ['[["1"]]']),
        ("a.XLSX", OTHER, workbook("<row><c><v>1</v></c></row>"), ['[["1"]]']),
        ("a.xlsm", OTHER, workbook("<row><c><v>1</v></c></row>"), ['[["1"]]']),
        ("a.bin", OTHER, docx("<p>word</p>"), ["word"]),
        ("a.docx", "", docx("<p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></p>"), [EQUATION]),
        ("a.bin", OTHER, b"word PK", ["unsupported-object"]),
        ("a.bin", WORD, b"word", ["part-broken"]),
        ("a.xlsx", OTHER, b"word", ["part-broken"]),
    ],
)
def test_the_type_of_a_part_decides_before_its_name(name, kind, data, content):
    source = docx(f'<altChunk r:id="{name}"/>', {f"chunks/{name}": data})
    document = api.parse(with_type(source, f"/word/chunks/{name}", kind), name="a")
    tables = [table.content for table in document.tables]
    assert content == (
        tables or [b.content for b in document.blocks] or [issue.code for issue in document.issues]
    )


def with_type(source, name, kind):
    """Return the package in which a part has this content type; "": none."""
    with zipfile.ZipFile(io.BytesIO(source)) as package:
        files = {each: package.read(each) for each in package.namelist()}
    override = f'<Override PartName="{name}" ContentType="{kind}"/>' if kind else ""
    files["[Content_Types].xml"] = files["[Content_Types].xml"].replace(
        b"</Types>", f"{override}</Types>".encode()
    )
    return zipped(files)


def archive(head, content):
    return docx('<altChunk r:id="a.mht"/>', {"chunks/a.mht": f"{head}\r\n\r\n{content}".encode()})


@pytest.mark.parametrize(
    ("head", "content"),
    [
        ("Content-Type: text/html; charset=utf-8", "<p>é</p>"),
        ("Content-Type: text/html; charset=\0", "<p>é</p>"),
        ("Content-Type: text/html; charset=utf-8", '<meta charset="windows-1252"><p>é</p>'),
        (
            "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable",
            '<meta charset="windows-1252"><p>=E9</p>',
        ),
        (
            (
                'content-TYPE:text/html;\r\n\tcharset="utf-8"\r\nContent-Transfer-Encoding: '
                "quoted-printable"
            ),
            "<p>=C3=\r\n=A9</p>",
        ),
        ("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", "PHA+w6k8L3A+"),
        (
            'Content-Type: multipart/related; boundary="a b"',
            (
                "no part\r\n--a b\r\nContent-Type: image/png\r\n\r\nx\r\n--a "
                "b\r\nContent-Type: text/html\r\n\r\n<p>é</p>\r\n--a b--"
            ),
        ),
        (
            "Content-Type: multipart/mixed; boundary=a",
            (
                "--a\r\nContent-Type: multipart/alternative;\r\n "
                "boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>é</p>\r\n--b--\r\n--a--"
            ),
        ),
    ],
)
def test_web_archives(head, content):
    assert [block.content for block in api.parse(archive(head, content), name="a").blocks] == ["é"]


@pytest.mark.parametrize(
    "head",
    [
        "",
        "Content-Type: multipart/related; boundary=",
        "Content-Type: image/png",
        f"Content-Type: text/html{' ' * 20_000}",
    ],
)
def test_web_archives_without_a_page(head):
    document = api.parse(archive(head, "x"), name="a")
    assert (document.blocks, [issue.code for issue in document.issues]) == (
        (),
        ["unsupported-object"],
    )


def diagonal(columns):
    """Return a workbook with as many rows as columns, and a cell in each."""
    return workbook(
        "".join(
            f'<row><c r="{letter}{row}"><v>1</v></c></row>' for row, letter in enumerate(columns, 1)
        )
    )


def test_a_part_is_read_once():
    document = api.parse(
        docx(
            '<altChunk r:id="a.html"/><p>and</p><altChunk r:id="a.html"/>',
            {"chunks/a.html": b"<p>once</p>"},
        ),
        name="a",
    )
    assert document.blocks[0].content == "once\nand"
    assert [issue.code for issue in document.issues] == ["unsupported-object"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.html", b"<i></i>" * 200),
        ("a.html", b"<table>" + b"<tr><td rowspan=0>x" * 30),
        ("a.html", b"<ol>" * 20),
        ("a.txt", b"x\n" * 100),
        ("a.docx", docx("<p/>" * 200)),
        ("a.xlsx", diagonal("ABCDEFGH")),
    ],
)
def test_the_limit_of_all_separate_parts(name, data):
    source = docx(
        f'<p>a</p><altChunk r:id="{name}"/><altChunk r:id="b.txt"/>',
        {f"chunks/{name}": data, "chunks/b.txt": b"b"},
    )
    document = api.parse(source, options=ParseOptions(limits=Limits(imported=6000)), name="a")
    assert document.blocks[0].content == "a\nb"
    assert [issue.message[-98:] for issue in document.issues] == [
        "The content of separate parts is over 6,000 characters; raise the limit "
        "`imported` if you trust the file."[-98:]
    ]


@pytest.mark.parametrize(
    ("ending", "data"),
    [
        ("html", b"<p>x</p>" * 50),
        ("txt", b"x\n" * 40),
        ("docx", docx("<p/>" * 20)),
        ("xlsx", diagonal("ABCD")),
    ],
)
def test_each_part_leaves_less_room_for_the_next(ending, data):
    source = docx(
        f'<altChunk r:id="a.{ending}"/><altChunk r:id="b.{ending}"/>',
        {f"chunks/a.{ending}": data, f"chunks/b.{ending}": data},
    )
    document = api.parse(source, options=ParseOptions(limits=Limits(imported=6000)), name="a")
    assert [issue.message[:50] for issue in document.issues] == [
        f"The content of word/chunks/b.{ending} was not read: The"[:50]
    ]


def test_a_part_is_refused_by_another_limit_too():
    deep = docx("<sdt><sdtContent>" * 20 + "<p>b</p>" + "</sdtContent></sdt>" * 20)
    source = docx('<p>a</p><altChunk r:id="b.docx"/>', {"chunks/b.docx": deep})
    [issue] = api.parse(source, options=ParseOptions(limits=Limits(depth=30)), name="a").issues
    assert "`depth`" in issue.message


@pytest.mark.parametrize(("blanks", "is_read"), [(0, True), (3000, False)])
def test_a_part_may_be_as_large_as_the_parts_before_it_leave_room(blanks, is_read):
    """A workbook counts as its unpacked parts, however little text they have."""
    rows = "<row><c><v>1</v></c></row>" + " " * blanks
    source = docx(
        '<altChunk r:id="a.txt"/><altChunk r:id="b.xlsx"/>',
        {"chunks/a.txt": b"x" * 1000, "chunks/b.xlsx": workbook(rows)},
    )
    document = api.parse(source, options=ParseOptions(limits=Limits(imported=6000)), name="a")
    assert (len(document.tables) == 1) is is_read


MANY = "".join(f" a{i}='>'" for i in range(300))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (f"<p>a<p{MANY} hidden>b<p>c", ["a\nc"]),
        (f'<ol{MANY} start="4" Start=7><li>a</ol>', ["4. a"]),
        (f"<ol{MANY} type=a>\n<li value = 3 {MANY}>a</ol>", ["c. a"]),
        (f'<a{MANY} href="https://e.org/?a>b">a</a>', ["a"]),
        (f"<script{MANY}>if (a<b c='\"</script><p{MANY}>a", ["a"]),
        (f'<!-- <p x=" --><p{MANY} title="b">a', ["a"]),
        (f"<p{MANY}", []),
    ],
)
def test_of_very_many_attributes_only_those_are_parsed_that_are_read(page, text, monkeypatch):
    parsed = html._parsed
    pages: list[str] = []
    monkeypatch.setattr(html, "_parsed", lambda page: pages.append(page) or parsed(page))
    assert text_of(page.encode()) == text
    assert all(len(page) < 100 for page in pages)

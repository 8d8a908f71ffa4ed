"""Parsing of untrusted XML, and of its numbers."""

from __future__ import annotations

from contextlib import suppress

import pytest
from case_files import each_row, yes
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from docxchunk.errors import DocxchunkError, LimitError, UnsafeError
from docxchunk.model.options import Limits
from docxchunk.ooxml.xml import (
    MC,
    A,
    IllFormedError,
    R,
    W,
    chosen_branch,
    declared_root,
    is_on,
    letters,
    local_name,
    natural_number,
    parse,
    prepared,
    salvage,
    value,
    value_of,
    whole_number,
)

LOOSE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def parsed(text, limits=None, size=7):
    data = text if isinstance(text, bytes) else text.encode()
    return parse(
        lambda: [data[i : i + size] for i in range(0, len(data), size)] if size else [data],
        limits or Limits(),
    )


def whole(text, limits=None):
    return parsed(text, limits, size=0)


@pytest.mark.parametrize("size", [1, 5, 64])
def test_part_in_pieces(size):
    assert (
        etree.tostring(parsed(f"{HEAD}<a><b>text</b>tail</a>", size=size))
        == b"<a><b>text</b>tail</a>"
    )


def test_comments_and_instructions_are_removed_without_splitting_text():
    root = whole(f"{HEAD}<?pi x?><!-- c --><a>one<!-- c -->two<?pi x?><![CDATA[<three>]]></a>")
    assert root.text == "onetwo<three>"
    assert len(root) == 0


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding):
    text = (
        (f'<?xml version="1.0" encoding="{encoding.upper()[:6]}"?><a>长 é</a>')
        if "16" in encoding
        else "<a>长 é</a>"
    )
    assert whole(text.encode(encoding)).text == "长 é"


def test_strict_namespaces_become_transitional_but_text_does_not():
    root = whole(
        f'<w:document xmlns:w="{STRICT}" xmlns:a="http://purl.oclc.org/ooxml/drawingml/main" '
        'xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships"><w:t '
        f'r:id="1">{STRICT}</w:t><a:blip/></w:document>'
    )
    assert root.tag == W + "document"
    assert root[0].get(R + "id") == "1"
    assert root[0].text == STRICT
    assert root[1].tag == A + "blip"
    assert whole(
        '<p xmlns="http://purl.oclc.org/ooxml/officeDocument/extendedProperties"/>'
    ).tag.endswith("/2006/extended-properties}p")


def test_transitional_part_may_mention_strict_namespaces():
    root = whole(f'<w:t xmlns:w="{LOOSE}" href="{STRICT}">{STRICT}</w:t>'.replace("href", "h"))
    assert root.text == STRICT
    assert whole(f'<w:p xmlns:w="{LOOSE}"><w:t h="{STRICT}"/></w:p>')[0].get("h") == STRICT


LAUGHS = (
    '<!DOCTYPE a [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(12))
    + "]><a>&m;</a>"
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        '<!DOCTYPE a SYSTEM "http://example.org/a.dtd"><a/>',
        '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
        "<!DOCTYPE a><a/>",
        "<!-- c --><?pi?> \n<!DOCTYPE a><a/>",
        "\ufeff<!DOCTYPE a><a/>",
        f"<!-- {'x' * 200_000} --><!DOCTYPE a><a/>",
    ],
    ids=range(7),
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_doctype_is_refused(text, encoding):
    with pytest.raises(UnsafeError):
        parsed(text.encode(encoding), size=65536)
    assert declared_root(text.encode()[:4096]) == b""


def test_doctype_in_another_encoding_is_refused():
    with pytest.raises((UnsafeError, IllFormedError)):
        whole(b'<?xml version="1.0" encoding="UTF-7"?>+ADw-!DOCTYPE a+AD4-<a/>')


@each_row("ooxml", line=int)
def test_ill_formed_error_has_a_line(text, line):
    with pytest.raises(IllFormedError) as caught:
        whole(text)
    assert caught.value.line in (line, 1)
    assert caught.value.reason


@each_row("ooxml")
def test_salvage(text, saved):
    root = salvage(text.encode(), Limits())
    assert root is not None
    assert etree.tostring(root).decode() == saved


@pytest.mark.parametrize("text", ["", "hello", "\x00\x01"])
def test_salvage_without_elements_returns_none(text):
    assert salvage(text.encode(), Limits()) is None


@pytest.mark.parametrize(
    ("depth", "limit", "fine"),
    [
        (256, 256, True),
        (257, 256, False),
        (20_000, 256, False),
        (30, 20, False),
        (20, 20, True),
        (300, 400, True),
    ],
)
def test_depth(depth, limit, fine):
    text = "<a>" * depth + "</a>" * depth
    limits = Limits(depth=limit)
    if fine:
        assert whole(text, limits).tag == "a"
        return
    for read in (whole, lambda t, limits: salvage(t.encode(), limits)):
        with pytest.raises(LimitError) as caught:
            read(text, limits)
        assert caught.value.limit == "depth"


@pytest.mark.parametrize(("depth", "fine"), [(20, True), (21, False)])
def test_elements_side_by_side_are_not_deep(depth, fine):
    text = f"<a>{'<b><b/></b>' * 40}{'<a>' * (depth - 1)}{'</a>' * depth}"
    if fine:
        assert len(whole(text, Limits(depth=20))) == 41
    else:
        with pytest.raises(LimitError):
            whole(text, Limits(depth=20))


def test_long_texts_and_parts_are_read():
    text = "x" * 11_000_000
    assert len(parsed(f"<a><b>{text}</b></a>", size=65536)[0].text) == len(text)
    assert len(parsed(f"<a>{'<b>0123456789</b>' * 800_000}</a>", size=65536)) == 800_000


def test_elements_are_limited():
    assert len(whole(f"<a>{'<b></b>' * 99}</a>", Limits(elements=100))) == 99
    with pytest.raises(LimitError) as caught:
        whole(f"<a>{'<b></b>' * 100}</a>", Limits(elements=100))
    assert caught.value.limit == "elements"


def test_declared_root():
    assert declared_root(
        f'{HEAD}<!-- c --><w:document xmlns:w="{STRICT}"><w:bod'.encode()
    ).startswith(f'<w:document xmlns:w="{LOOSE}'.encode())
    assert declared_root("<a/>".encode("utf-16")) == b"<a/>"
    assert declared_root(b"") == declared_root(b"text") == declared_root(b"<a") == b""


_markup = st.lists(
    st.sampled_from(
        [
            "<a>",
            "</a>",
            "<b/>",
            "text",
            "&amp;",
            "&x;",
            "&#0;",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<?",
            "?>",
            "<!DOCTYPE a>",
            "\x00",
            "\ufffe",
            "<",
            ">",
            '"',
        ]
    )
    | st.text(max_size=5),
    max_size=30,
)


@given(_markup, st.sampled_from(["utf-8", "utf-16", "utf-16-be", "latin-1"]))
def test_parse_raises_only_documented_errors(pieces, encoding):
    data = "".join(pieces).encode(encoding, "replace")
    for read in (whole, lambda d: salvage(d, Limits()), declared_root):
        with suppress(IllFormedError, DocxchunkError):
            read(data)


@given(st.binary(max_size=200))
def test_any_bytes_raise_only_documented_errors(data):
    for read in (whole, lambda d: salvage(d, Limits()), declared_root):
        with suppress(IllFormedError, DocxchunkError):
            read(data)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("-12.9", -12),
        ("32760", 32760),
        ("32761", None),
        ("-32760", -32760),
        ("-32761", None),
        ("1e400", None),
        ("nan", None),
        ("12pt", None),
        ("", None),
        (None, None),
    ],
)
def test_measurements_are_plausible_numbers(text, number):
    assert whole_number(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        (" +7 ", 7),
        ("007", 7),
        ("9" * 9, 999_999_999),
        ("9" * 10, None),
        ("-1", None),
        ("1.0", None),
        ("\u0661", None),  # a digit of another script
        ("\u00b2", None),
        ("", None),
        (None, None),
    ],
)
def test_natural_numbers(text, number):
    assert natural_number(text) == number


@each_row("ooxml", number=int)
def test_letters_are_those_of_texts(source, number):
    element = etree.fromstring(f'<w:p xmlns:w="{W[1:-1]}">{source}</w:p>')[0]
    assert letters(element) == number


def element(source: str) -> etree._Element:
    return etree.fromstring(f'<w:p xmlns:w="{W[1:-1]}" xmlns:mc="{MC[1:-1]}">{source}</w:p>')


@each_row("ooxml", on=yes)
def test_toggles(source, on):
    """17.17.4."""
    assert is_on(element(source)[0]) == on
    assert not is_on(None)


def test_values_of_children():
    root = element('<w:a w:val="1"/><w:b><w:c w:val="2"/></w:b><w:a w:val="3"/><w:d/>')
    paths = [W + "a", f"{W}b/{W}c", W + "b", W + "d", W + "e"]
    assert [value(root, path) for path in paths] == ["1", "2", None, None, None]
    children = {child.tag: child for child in root}
    assert [value_of(children, name) for name in "abde"] == ["3", None, None, None]
    assert [local_name(tag) for tag in (W + "a", "a", "{b}c}d", "")] == ["a", "a", "d", ""]


@pytest.mark.parametrize(
    ("branches", "chosen"),
    [
        ('<mc:Choice Requires="wps"/><mc:Fallback/>', 0),
        ('<mc:Choice Requires="wps w14"/><mc:Fallback/>', 0),
        ('<mc:Choice Requires="wps am3d"/><mc:Fallback/>', 1),
        ('<mc:Choice Requires="am3d"/><mc:Choice Requires="cx1"/><mc:Fallback/>', 1),
        ('<mc:Fallback/><mc:Choice Requires="wps"/>', 1),
        ("<mc:Choice/><mc:Fallback/>", 0),
        ('<mc:Choice Requires="am3d"/>', None),
        ("", None),
    ],
)
def test_the_first_branch_that_is_understood_is_chosen(branches, chosen):
    alternate = element(f"<mc:AlternateContent>{branches}</mc:AlternateContent>")[0]
    assert chosen_branch(alternate) is (None if chosen is None else alternate[chosen])


def test_a_part_is_prepared_for_the_other_parser():
    strict = f'<w:document xmlns:w="{STRICT}"/>'
    for text in (strict, strict.replace(STRICT, LOOSE)):
        for data in (text.encode(), f"{HEAD}{text}".encode("utf-16")):
            pieces = [data[:-2], data[-2:]]
            assert prepared(lambda pieces=pieces: pieces, Limits()).endswith(
                f'<w:document xmlns:w="{LOOSE}"/>'.encode()
            )
    assert prepared(lambda: [b"<a/>"], Limits(depth=256)) == b"<a/>"
    assert prepared(lambda: [b"<a/>"], Limits(depth=255)) is None
    with pytest.raises(UnsafeError):
        prepared(lambda: [b"<!DOCTYPE a><a/>"], Limits())
    with pytest.raises(LimitError):
        prepared(lambda: [b"<a>", b"<b/>" * 3], Limits(elements=3))


@pytest.mark.parametrize(
    ("name", "transitional"),
    [
        ("officeDocument/customProperties", "officeDocument/2006/custom-properties"),
        ("officeDocument/extendedProperties", "officeDocument/2006/extended-properties"),
        ("drawingml/chart", "drawingml/2006/chart"),
    ],
)
def test_names_of_namespaces(name, transitional):
    root = whole(f"<!-- c --><p xmlns='http://purl.oclc.org/ooxml/{name}'/>")
    assert root.tag == f"{{http://schemas.openxmlformats.org/{transitional}}}p"


def test_the_error_names_the_unknown_entity():
    with pytest.raises(IllFormedError, match="nbsp"):
        whole("<a>&nbsp;</a>")

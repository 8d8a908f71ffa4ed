"""Properties that are stored once, and references to them."""

from __future__ import annotations

from copy import deepcopy
from unittest.mock import patch

import pytest
from case_files import each_row, yes
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from docxchunk.model.options import Limits
from docxchunk.ooxml import incremental
from docxchunk.ooxml.incremental import (
    REFERENCE,
    BrokenOffError,
    IncrementalPart,
    share_properties,
)
from docxchunk.ooxml.xml import W

W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<w:document xmlns:w="{W[1:-1]}" xmlns:w14="{W14}">'
PLAIN = '<w:pStyle w:val="A"/><w:rPr><w:b/></w:rPr>'

attributes = st.sampled_from(
    [
        "",
        ' w:rsidR="00AB"',
        ' w14:paraId="1A"',
        ' w:rsidR="0" w14:paraId="1A" w:rsidP="1"',
        ' w:x=">"',
        ' w:x="1"',
    ]
)
COMMENTS = [
    "<!-- <w:r> -->",
    "<!-- <w:r><w:rPr> -->",
    "<!-- </w:rPr> -->",
    "<!-- </w:pPr> -->",
    "<?pi <w:r>?>",
]
pieces = st.sampled_from(
    [
        "<w:b/>",
        '<w:sz w:val="20"/>',
        '<w:x w:val="a>b"/>',
        "<w:x> <w:b/></w:x>",
        "text",
        " ",
        *COMMENTS,
    ]
)


def changed(name: str) -> str:
    """Return a tracked change, with other properties inside."""
    return f"<w:{name}Change><w:{name}><w:i/></w:{name}></w:{name}Change>"


def properties(name: str, inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(st.one_of(inside, st.just(changed(name))), max_size=3).map("".join)
    return st.one_of(
        several.map(lambda text: f"<w:{name}>{text}</w:{name}>"),
        st.sampled_from(["", f"<w:{name}/>"]),
    )


run_properties = properties("rPr", pieces)
runs = st.builds(
    "<w:r{}>{}{}</w:r>".format,
    attributes,
    run_properties,
    st.sampled_from(["", "<w:t>a &lt; b</w:t>", "<!-- <w:r><w:rPr> --><w:t/>"]),
)
paragraphs = st.builds(
    "<w:p{}>{}{}</w:p>".format,
    attributes,
    properties("pPr", st.one_of(pieces, run_properties)),
    st.lists(runs, max_size=3).map("".join),
)
cells = st.builds("<w:tc{}>{}{}</w:tc>".format, attributes, properties("tcPr", pieces), paragraphs)
tables = st.lists(cells, min_size=1, max_size=3).map(
    lambda row: f"<w:tbl><w:tr>{''.join(row)}</w:tr></w:tbl>"
)
parts = st.lists(st.one_of(paragraphs, tables), min_size=1, max_size=6).map(
    lambda found: f"{HEAD}<w:body>{''.join(found)}</w:body></w:document>".encode()
)


def canonical(data: bytes, elements: dict[str, etree._Element]) -> bytes:
    """Return the XML with the elements in place of the references, without ids of editing sessions,
    comments and instructions.
    """
    root = etree.fromstring(data, etree.XMLParser(remove_comments=True, remove_pis=True))
    for element in root.iter():
        reference = element.attrib.pop(REFERENCE, None)
        if reference is not None:
            element.insert(0, deepcopy(elements[reference]))
        for name in [name for name in element.attrib if "rsid" in name]:
            del element.attrib[name]
    return etree.tostring(root, method="c14n")


@settings(max_examples=some(300), deadline=None)
@given(parts, st.sampled_from([40, 200, 1 << 18]))
def test_references_stand_for_the_same_elements(data, segment):
    with patch.object(incremental, "_SEGMENT", segment):
        shared = share_properties(data, Limits())
    assert canonical(shared.data, shared.elements) == canonical(data, {})


def test_equal_properties_are_stored_once():
    paragraph = f"<w:p><w:pPr>{PLAIN}</w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>"
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph}</w:tc>'
    shared = share_properties(
        f"{HEAD}<w:body><w:tbl><w:tr>{cell * 3}</w:tr></w:tbl></w:body></w:document>".encode(),
        Limits(),
    )
    assert [etree.QName(element).localname for element in shared.elements.values()] == [
        "tcPr",
        "pPr",
        "rPr",
    ]
    assert b"Pr>" not in shared.data


@pytest.mark.parametrize(
    ("owner", "name"), [("p", "pPr"), ("p><w:r", "rPr"), ("tbl><w:tr><w:tc", "tcPr")]
)
def test_tracked_properties_stay_in_their_place_and_others_are_shared(owner, name):
    closing = "".join(f"</{tag}>" for tag in reversed(f"w:{owner}".split("><")))
    kept = f"<w:{owner}><w:{name}><w:b/>{changed(name)}</w:{name}>{closing}"
    plain = f"<w:p><w:pPr>{PLAIN}</w:pPr></w:p>"
    shared = share_properties(
        f"{HEAD}<w:body>{kept}{plain}</w:body></w:document>".encode(), Limits()
    )
    assert kept.encode() in shared.data
    assert len(shared.elements) == 1


@pytest.mark.parametrize(
    "content",
    [
        "<w:t>a</w:t>",
        "<w:sectPr><w:type/></w:sectPr>",
        '<w:fldChar w:fldCharType="begin"/>',
        "<y:t/>",
        "<w:p/>",
    ],
)
def test_content_stays_in_its_place(content):
    part = (
        f'{HEAD[:-1]} xmlns:y="{W[1:-1]}"><w:p><w:pPr>{content}</w:pPr></w:p></w:document>'
    ).encode()
    assert share_properties(part, Limits()) == (part, {})


def test_properties_across_two_segments_stay_in_their_places():
    run = "<w:r><w:rPr><w:b/></w:rPr></w:r>"
    part = f"{HEAD}<w:p>{run * 2}</w:p></w:document>".encode()
    with patch.object(incremental, "_SEGMENT", part.rindex(b"</w:rPr>")):
        shared = share_properties(part, Limits())
    assert shared.data.count(b"</w:rPr>") == len(shared.elements) == 1
    assert canonical(shared.data, shared.elements) == canonical(part, {})


def test_only_so_many_are_kept():
    different = "".join(f'<w:r><w:rPr><w:sz w:val="{size}"/></w:rPr></w:r>' for size in range(5))
    with patch.object(incremental, "_MAX_DISTINCT", 3):
        shared = share_properties(
            f"{HEAD}<w:p>{different * 2}</w:p></w:document>".encode(), Limits()
        )
    assert len(shared.elements) == 3
    assert shared.data.count(b"<w:rPr>") == 4


@pytest.mark.parametrize(
    "part",
    [
        f"{HEAD}<w:p><w:pPr>{PLAIN}</w:pPr><w:r><w:t><![CDATA[<w:r><w:rPr></w:rPr></w:r>]]></w:t></w:r></w:p></w:document>",
        (
            f"{HEAD}<w:p><w:pPr>{PLAIN}</w:pPr></w:p><x "
            f'xmlns:w="urn:other"><w:p><w:pPr>{PLAIN}</w:pPr></w:p></x></w:document>'
        ),
        (
            f"{HEAD}<w:p><w:r><w:rPr><!-- </w:rPr> --></w:rPr></w:r><w:r><w:rPr> --> "
            "</w:rPr></w:r></w:p></w:document>"
        ),
        f"{HEAD}<w:p><w:pPr><w:b></w:pPr></w:p></w:document>",
        f"{HEAD}<w:p><w:pPr><y:b/></w:pPr></w:p></w:document>",
        f'{HEAD}<w:p {REFERENCE}="0"/><w:p><w:pPr>{PLAIN}</w:pPr></w:p></w:document>',
        f'<document xmlns="{W[1:-1]}"><p><pPr><b/></pPr></p></document>',
    ],
    ids=[
        "CDATA",
        "the prefix means something else",
        "a comment",
        "not well-formed",
        "an unknown prefix",
        "the attribute is in use",
        "another prefix",
    ],
)
def test_unusual_parts_stay_as_they_are(part):
    shared = share_properties(part.encode(), Limits())
    assert shared == (part.encode(), {})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<w:p><w:sectPr/></w:p>", True),
        (b"<p><sectPr a='1'/></p>", True),
        (b"<w:p>sectPr </w:p>", False),
        (b"<w:p><w:sectPrChange/></w:p>", False),
        (b"<w:p/>", False),
    ],
)
def test_a_part_holds_elements_by_their_names(data, expected):
    assert IncrementalPart(data).holds(b"sectPr") == expected


def part_of(inside: str) -> IncrementalPart:
    return IncrementalPart(f"{HEAD}{inside}</w:document>".encode())


FIVE = "".join(f"<w:p>{number}</w:p>" for number in range(5))


def test_a_child_is_read_while_it_is_parsed():
    """The last of its children may still be incomplete; those before it may be deleted."""
    part = part_of(f"<w:x/><w:body>{FIVE}</w:body><w:y/>")
    texts = []
    with patch.object(incremental, "_PIECE", 12):
        for element, whole, ended in part.partial_child(W + "body", b"no such bytes"):
            assert whole == len(element) - (not ended) > 0
            texts.append([child.text for child in element[:whole]])
            del element[:whole]
    assert len(texts) > 3
    assert [text for found in texts for text in found] == list("01234")
    assert ended


def test_a_child_is_read_when_it_is_complete_if_some_bytes_are_ahead():
    part = part_of(f"<w:body>{FIVE}</w:body>")
    for ahead, steps in ((b"<w:p>4", 1), (b"<w:p>5", 3)):
        with patch.object(incremental, "_PIECE", 30):
            found = [
                (len(element), whole, ended)
                for element, whole, ended in part.partial_child(W + "body", ahead)
            ]
        assert len(found) >= steps
        assert (len(found) == 1) == (steps == 1)
        assert found[-1] == (5, 5, True)


@pytest.mark.parametrize(
    "data",
    [
        f"{HEAD}<w:body><w:p/></w:body></w:document>",
        f"<?pi?>{HEAD.partition('?>')[2]}<w:body><w:p/></w:body></w:document><?pi?>",
        f"{HEAD}<w:other/><w:body w:x='1'><w:p/></w:body></w:document>",
        f'<document xmlns="{W[1:-1]}"><body><p/></body></document>',
    ],
)
def test_usual_parts_are_read_in_pieces(data):
    *_, last = IncrementalPart(data.encode()).partial_child(W + "body", b"x")
    assert (last.element.tag, last.complete, last.ended) == (W + "body", 1, True)
    assert [child.tag for child in last.element] == [W + "p"]


@each_row("ooxml")
def test_unusual_parts_are_not_read_in_pieces(inside):
    with pytest.raises(BrokenOffError):
        list(part_of(inside).partial_child(W + "body", b"x"))


def test_a_part_whose_end_is_missing_is_broken_off():
    part = IncrementalPart(f"{HEAD}<w:body><w:p/></w:body>".encode())
    with pytest.raises(BrokenOffError):
        list(part.partial_child(W + "body", b"x"))


@each_row("ooxml", some=yes)
def test_spaces_are_preserved_in_some_texts_or_in_the_whole_part(root, inside, some):
    data = f"<w:document{root}><w:body>{inside}</w:body></w:document>".encode()
    assert IncrementalPart(data).preserves_some_spaces() == some


def test_a_part_with_shared_properties():
    run = "<w:r><w:rPr><w:b/></w:rPr></w:r>"
    part = part_of(f"<w:body><w:p>{run * 2}</w:p></w:body>").with_shared_properties(Limits())
    assert [element.tag for element in part.properties.values()] == [W + "rPr"]
    *_, last = part.partial_child(W + "body", b"x")
    assert [run.get(REFERENCE) for run in last.element[0]] == list(part.properties) * 2

"""Valid, unusual, damaged and malicious packages."""

from __future__ import annotations

import io
import mmap
import struct
import zipfile
import zlib
from contextlib import contextmanager

import pytest
from case_files import each_row, or_none, yes
from docx_builder import PIXEL, docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import errors
from docxchunk.model.document import IssueCode
from docxchunk.model.options import Limits
from docxchunk.ooxml.archive import Archive, key
from docxchunk.ooxml.package import Relationship, open_package, relationships_name
from docxchunk.ooxml.xml import W

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "word/_rels/document.xml.rels"
SOME = docx(
    '<numbering><list id="1"><level/></list></numbering><p>One</p><p>Two</p>',
    {"media/a.png": PIXEL},
)


def opened(data, **limits):
    return open_package(data, Limits(**limits))


def texts(package):
    return [t.text for t in package.document().iter(W + "t")]


def parts_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        return {name: source.read(name) for name in source.namelist()}


def zipped(parts, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as target:
        for name, data in parts.items():
            target.writestr(name, data)
    return out.getvalue()


def changed(changes, data=SOME):
    """Return the package with replaced parts; None removes a part."""
    parts = parts_of(data) | changes
    return zipped({name: part for name, part in parts.items() if part is not None})


def codes(package):
    return [issue.code for issue in package.issues]


# whole files


@pytest.mark.parametrize("strict", [False, True])
def test_a_package(strict):
    package = opened(docx("<p>One</p>", {"media/a.png": PIXEL}, strict=strict))
    assert package.main == "word/document.xml"
    assert texts(package) == ["One"]
    assert package.part("styles") == "word/styles.xml"
    assert package.part("numbering") is None
    assert package.xml("word/styles.xml").tag == W + "styles"
    assert package.read("word/media/a.png") == PIXEL
    assert package.relationships()["a.png"] == Relationship(
        "a.png", "image", "media/a.png", "word/media/a.png", external=False
    )
    assert package.relationships("word/styles.xml") == {}
    assert package.issues == []


@pytest.mark.parametrize(
    ("template", "macros", "format_"),
    [(False, False, "docx"), (True, False, "dotx"), (False, True, "docm"), (True, True, "dotm")],
)
def test_format_is_known_by_content_type(template, macros, format_):
    data = docx("<p>x</p>", template=template)
    if macros:
        types = parts_of(data)["[Content_Types].xml"].decode()
        kind = "template.macroEnabledTemplate" if template else "document.macroEnabled"
        old = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{'template' if template else 'document'}.main+xml"
        data = changed(
            {
                "[Content_Types].xml": types.replace(
                    old, f"application/vnd.ms-word.{kind}.main+xml"
                ).encode()
            },
            data,
        )
    assert opened(data).format == format_


def test_main_part_may_have_any_name():
    assert opened(docx("<p>x</p>", main="word/document2.xml")).main == "word/document2.xml"


def test_a_file_may_be_mapped(tmp_path):
    (tmp_path / "a.docx").write_bytes(SOME)
    with (
        (tmp_path / "a.docx").open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        assert texts(opened(mapped)) == ["One", "Two"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_bytes_before_and_after_the_zip_file(method):
    data = zipped(parts_of(SOME), method)
    for around in (
        b"before" + data,
        data + b"\0" * 100_000,
        b"PK\x05\x06 not yet" + data,
        b"x" * 9 + data + b"PK\x05\x06",
    ):
        package = opened(around)
        assert texts(package) == ["One", "Two"]
        assert package.issues == []


def test_names_with_other_case_and_backslashes():
    parts = {
        name.replace("word/", "Word\\").replace("styles", "STYLES"): data
        for name, data in parts_of(SOME).items()
    }
    package = opened(zipped(parts))
    assert texts(package) == ["One", "Two"]
    assert package.part("styles") == "Word\\STYLES.xml"
    assert package.content_type("WORD/styles.xml").endswith("styles+xml")


@each_row("ooxml")
def test_content_types_by_extension(part, kind):
    types = parts_of(SOME)["[Content_Types].xml"]
    for extension in (b"png", b"PNG"):
        written = types.replace(b'Extension="png"', b'Extension="%s"' % extension)
        assert opened(changed({"[Content_Types].xml": written})).content_type(part) == kind


@each_row("ooxml", part=or_none, external=yes)
def test_targets(target, mode, part, external):
    said = f' TargetMode="{mode}"' if mode else ""
    rels = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
        f'Type="{OFFICE}/image" Target="{target}"{said}/></Relationships>'
    )
    package = opened(changed({RELS: rels.encode()}))
    assert package.relationships()["a"] == Relationship("a", "image", target, part, external)
    assert (IssueCode.PART_MISSING in codes(package)) == (part is None and not external)


def test_of_two_relationships_with_an_id_the_first_counts():
    related = "".join(
        f'<Relationship Id="{key}" Type="http://example.org/{kind}" Target=" {target} "/>'
        for key, kind, target in (
            ("a", "image", "media/a.png"),
            ("a", "styles", "styles.xml"),
            ("b", "image", "gone.png"),
            ("c", "image", "/word/media/a.png"),
            ("d", "image", "http://example.org/a.png"),
        )
    )
    rels = f'<Relationships xmlns="{PACKAGE}/relationships">{related}</Relationships>'
    package = opened(changed({RELS: rels.encode()}))
    assert list(package.relationships()) == ["a", "b", "c", "d"]
    assert package.relationships()["a"].target == "media/a.png"
    assert package.parts("image") == ["word/media/a.png"] * 2
    assert (package.part("image"), package.part("styles")) == ("word/media/a.png", None)
    assert package.xml_of("styles") is None
    assert [each.dangling for each in package.relationships().values()] == [
        False,
        True,
        False,
        False,
    ]
    assert codes(package) == [IssueCode.PART_MISSING]  # once


def test_a_name_as_written_goes_before_the_decoded_one():
    rels = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
        f'Type="{OFFICE}/image" Target="media/%61.png"/></Relationships>'
    )
    package = opened(changed({RELS: rels.encode(), "word/media/%61.png": PIXEL}))
    assert package.part("image") == "word/media/%61.png"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("", "_rels/.rels"),
        ("a.xml", "_rels/a.xml.rels"),
        ("word/document.xml", "word/_rels/document.xml.rels"),
    ],
)
def test_names_of_relationships(source, name):
    assert relationships_name(source) == name


def test_the_content_type_of_a_part_goes_before_that_of_its_extension():
    types = parts_of(SOME)["[Content_Types].xml"]
    override = b'<Override PartName="/word/MEDIA/a.png" ContentType="image/other"/></Types>'
    package = opened(changed({"[Content_Types].xml": types.replace(b"</Types>", override)}))
    assert package.content_type("word/media/a.png") == "image/other"
    assert package.content_type("word/media/b.png") == "image/png"


def test_fingerprints_do_not_depend_on_order_or_compression():
    parts = parts_of(SOME)
    one = opened(SOME).fingerprints()
    assert one == opened(zipped(dict(reversed(parts.items())), zipfile.ZIP_STORED)).fingerprints()
    assert len(one) == len(parts) == len(opened(SOME).names())
    image = parts["word/media/a.png"]
    assert f"word/media/a.png {zlib.crc32(image)} {len(image)}" in one
    assert one != opened(changed({"word/media/a.png": b"other"})).fingerprints()


def test_the_size_of_what_was_read():
    package = opened(SOME)
    before = package.inflated
    assert package.main_bytes() == parts_of(SOME)["word/document.xml"]
    package.read("word/media/a.png")
    package.read("word/media/a.png")
    assert package.inflated == before + len(package.main_bytes()) + len(PIXEL)


def test_names_that_are_not_utf8_are_of_code_page_437():
    data = changed({"word/media/e.png": PIXEL}).replace(b"media/e.png", b"media/\x82.png")
    assert "word/media/é.png" in opened(data).names()


@each_row("ooxml")
def test_names_are_compared_in_lower_case_with_slashes(name, normal):
    assert key(name) == normal


# damaged files


def test_missing_parts_are_named():
    targets = {"a": "", "b": "NULL", "c": "media/a.png", "d": "x.png", "e": "y.png"}
    related = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/image" Target="{target}"/>'
        for key, target in targets.items()
    )
    rels = f'<Relationships xmlns="{PACKAGE}/relationships">{related}</Relationships>'
    package = opened(changed({RELS: rels.encode()}))
    package.relationships()
    [issue] = package.issues
    assert issue.place == RELS
    assert issue.message == (
        "Relationships refer to parts that do not exist (4): "
        "a (image) to nothing, b (image) to NULL, d (image) to x.png."
    )


def test_missing_or_broken_optional_part_is_an_issue():
    package = opened(changed({"word/styles.xml": None, "word/numbering.xml": b"<w:numbering"}))
    assert texts(package) == ["One", "Two"]
    assert package.part("styles") is None
    assert package.xml(package.part("numbering")) is None
    assert codes(package) == [IssueCode.PART_MISSING, IssueCode.PART_BROKEN]
    assert package.issues[1].place == "word/numbering.xml:1"


@pytest.mark.parametrize("part", ["[Content_Types].xml", "_rels/.rels", RELS])
@pytest.mark.parametrize("data", [None, b"", b"<a/>", b"\xff\xfe", b"<Types"])
def test_content_types_or_relationships_may_be_missing(part, data):
    package = opened(changed({part: data}))
    assert texts(package) == ["One", "Two"]
    assert package.xml(package.part("styles")).tag == W + "styles"
    assert IssueCode.PACKAGE_REPAIRED in codes(package)


@pytest.mark.parametrize("name", [str, str.upper])
def test_content_types_and_relationships_may_be_missing(name):
    parts = parts_of(changed(dict.fromkeys(["[Content_Types].xml", "_rels/.rels", RELS])))
    parts["glossary/document.xml"] = parts_of(docx("<p>x</p>"))["word/document.xml"]
    package = opened(zipped({name(part): data for part, data in parts.items()}))
    assert texts(package) == ["One", "Two"]
    assert package.part("numbering") == name("word/numbering.xml")


def test_a_main_part_without_relationships_is_known_by_its_name():
    parts = parts_of(changed(dict.fromkeys(["[Content_Types].xml", "_rels/.rels", RELS])))
    other = parts_of(docx("<p>x</p>"))["word/document.xml"]
    package = opened(zipped({"word/aaa.xml": other, **parts, "word/mydocument2.xml": other}))
    assert package.main == "word/document.xml"
    del parts["word/document.xml"]
    package = opened(zipped({"word/aaa.xml": other, **parts, "word/document2.xml": other}))
    assert package.main == "word/document2.xml"


def test_a_part_is_read_incrementally_if_it_is_intact():
    part = opened(SOME).incremental()
    assert part is not None
    *_, body = part.partial_child(W + "body", b"no such bytes")
    assert [text.text for text in body.element.iter(W + "t")] == ["One", "Two"]
    assert opened(SOME, depth=255).incremental() is None
    crc = struct.pack("<L", zlib.crc32(parts_of(SOME)["word/document.xml"]))
    assert opened(SOME.replace(crc, b"\1\2\3\4")).incremental() is None


def test_an_empty_part_is_an_issue():
    package = opened(changed({"word/styles.xml": b""}))
    assert package.xml_of("styles") is None
    assert [issue.place for issue in package.issues] == ["word/styles.xml:1"]
    assert opened(SOME).xml_of("styles").tag == W + "styles"


def test_ill_formed_main_part_is_read_up_to_the_error():
    main = parts_of(SOME)["word/document.xml"]
    package = opened(changed({"word/document.xml": main[: main.index(b"Two") + 3]}))
    assert texts(package) == ["One", "Two"]
    assert codes(package) == [IssueCode.MAIN_PART_CUT]
    assert package.issues[0].place.startswith("word/document.xml:")


@pytest.mark.parametrize(
    "main", [b"", b"text", b"<a/>", f'<w:document xmlns:w="{WORD}"/>'.encode(), b"PK"]
)
def test_main_part_without_body_is_refused(main):
    with pytest.raises(errors.DamagedError):
        opened(changed({"word/document.xml": main})).document()


def test_missing_directory():
    for cut in (
        SOME[: SOME.index(b"PK\x01\x02")],
        SOME[: SOME.rindex(b"PK\x05\x06")],
        SOME.replace(b"PK\x01\x02", b"XX\x01\x02"),
    ):
        package = opened(cut)
        assert texts(package) == ["One", "Two"]
        assert package.read("word/media/a.png") == PIXEL
        assert codes(package) == [IssueCode.PACKAGE_REPAIRED]


class Pipe(io.RawIOBase):
    """Cannot seek: zipfile writes data descriptors after the data of an entry."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data)
        return len(data)


def without_directory(parts, method):
    """Return a ZIP file without a directory, in which the size of an entry follows its data."""
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", method) as target:
        for name, data in parts.items():
            target.writestr(name, data)
    assert texts(opened(pipe.data)) == ["One", "Two"]
    return pipe.data[: pipe.data.index(b"PK\x01\x02")]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_data_descriptors_without_directory(method):
    package = opened(without_directory(parts_of(SOME), method))
    assert texts(package) == ["One", "Two"]
    assert package.read("word/media/a.png") == PIXEL


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_is_measured_is_limited(method):
    data = without_directory(parts_of(SOME) | {"word/a.bin": b"\0" * 200_000}, method)
    with pytest.raises(errors.LimitError) as caught:
        opened(data, total=100_000)
    assert caught.value.limit == "total"


@pytest.mark.parametrize(
    ("size", "ratio", "is_read"),
    [(7_000_000, 1, True), (9_000_000, 5000, True), (9_000_000, 1, False)],
)
def test_what_is_measured_may_be_small_or_well_compressed(size, ratio, is_read):
    data = without_directory(parts_of(SOME) | {"word/a.bin": b"\0" * size}, zipfile.ZIP_DEFLATED)
    if is_read:
        assert texts(opened(data, ratio=ratio)) == ["One", "Two"]
    else:
        with pytest.raises(errors.LimitError):
            opened(data, ratio=ratio)


def test_a_damaged_part_is_measured_up_to_the_damage():
    data = bytearray(without_directory(parts_of(SOME), zipfile.ZIP_DEFLATED))
    name = b"word/media/a.png"
    data[data.index(name) + len(name)] = 0xFF  # no kind of block
    package = opened(bytes(data))
    assert texts(package) == ["One", "Two"]
    assert package.read("word/media/a.png") is None
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED, IssueCode.ASSET_DROPPED]


@pytest.mark.parametrize("name", ["a.docx", "word/z.docx"])
@pytest.mark.parametrize("kept", [b"", b"PK\x01\x02", b"PK\x05\x06"])
def test_a_word_file_inside_of_a_truncated_one_is_a_part(name, kept):
    """It is stored, so that its own directory can be seen."""
    parts = parts_of(SOME) | {name: docx("<p>Inner</p>")}
    data = zipped(dict(sorted(parts.items())), zipfile.ZIP_STORED)
    assert texts(opened(data)) == ["One", "Two"]
    directory = struct.unpack("<L", data[-6:-2])[0]
    package = opened(data[: data.index(kept, directory) + 12 * bool(kept)])
    assert texts(package) == ["One", "Two"]
    assert {part: package.read(part) for part in parts} == parts
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED]


def test_of_two_files_in_one_the_last_is_read():
    package = opened(docx("<p>Zero</p>") + SOME)
    assert texts(package) == ["One", "Two"]
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED]


def test_wrong_checksums():
    for name, code in (
        ("word/document.xml", IssueCode.MAIN_PART_CUT),
        ("word/styles.xml", IssueCode.PART_BROKEN),
        ("word/media/a.png", IssueCode.ASSET_DROPPED),
    ):
        crc = struct.pack("<L", zlib.crc32(parts_of(SOME)[name]))
        package = opened(SOME.replace(crc, b"\1\2\3\4"))
        assert texts(package) == ["One", "Two"]
        assert package.xml("word/styles.xml").tag == W + "styles"
        assert (package.read("word/media/a.png") is None) == (code is IssueCode.ASSET_DROPPED)
        assert codes(package) == [code]


def test_truncated_file():
    main = "word/document.xml"
    long = docx("".join(f"<p>{i}{chr(0x4E00 + i * 7)}</p>" for i in range(2000)))
    parts = parts_of(long)
    data = zipped({name: parts[name] for name in sorted(parts, key=main.__eq__)})
    package = opened(data[: data.index(main.encode()) + 6000])
    assert 100 < len(texts(package)) < 2000
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED, IssueCode.MAIN_PART_CUT]
    with pytest.raises(errors.TruncatedError):
        opened(data[: data.index(main.encode()) - 40])


def test_an_entry_whose_header_is_cut_off_is_searched_for():
    data = zipped(parts_of(SOME))
    comment = b"PK\x03\x04"  # the directory says that an entry begins here
    entry = data.find(b"PK\x01\x02")
    moved = data[: entry + 42] + struct.pack("<L", len(data)) + data[entry + 46 : -2]
    package = opened(moved + struct.pack("<H", len(comment)) + comment)
    assert texts(package) == ["One", "Two"]
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED]


@pytest.mark.parametrize(("more", "is_repaired"), [(0, False), (1, True)])
def test_a_directory_whose_last_entry_runs_past_its_end_is_searched_for(more, is_repaired):
    data = bytearray(zipped(parts_of(SOME)))
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 32 : entry + 34] = struct.pack("<H", more)  # the length of its comment
    package = opened(bytes(data))
    assert texts(package) == ["One", "Two"]
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED] * is_repaired


def test_a_directory_with_a_wrong_place_of_an_entry_is_searched_for():
    data = bytearray(SOME)
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 42 : entry + 46] = struct.pack(
        "<L", struct.unpack("<L", data[entry + 42 : entry + 46])[0] + 1
    )
    package = opened(bytes(data))
    assert texts(package) == ["One", "Two"]
    assert {name: package.read(name) for name in parts_of(SOME)} == parts_of(SOME)
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_empty_entry_is_found_without_directory(method):
    data = zipped({"word/empty.bin": b"", **parts_of(SOME)}, method)
    package = opened(data[: data.index(b"PK\x01\x02")])
    assert texts(package) == ["One", "Two"]
    assert list(parts_of(data)) == package.names()


def test_an_empty_directory_is_searched_for():
    data = zipped(parts_of(SOME))
    end = data.rfind(b"PK\x05\x06")
    empty = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0, 0, 0, end, 0)
    package = opened(data[:end] + empty)
    assert texts(package) == ["One", "Two"]
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED]


@pytest.mark.parametrize("field", [slice(12, 16), slice(16, 20), slice(12, 20)])
def test_a_directory_without_the_zip64_record_that_it_names_is_searched_for(field):
    data = bytearray(zipped(parts_of(SOME)))
    end = data.rfind(b"PK\x05\x06")
    data[end + field.start : end + field.stop] = b"\xff" * (field.stop - field.start)
    package = opened(bytes(data))
    assert texts(package) == ["One", "Two"]
    assert set(codes(package)) <= {IssueCode.PACKAGE_REPAIRED}


@pytest.mark.parametrize("is_searched", [False, True])
def test_zip64(monkeypatch, is_searched):
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 0)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, part in parts_of(SOME).items():
            entry = zipfile.ZipInfo(name)
            entry.extra = struct.pack("<2HL", 0x5855, 4, 0)  # another extra field
            target.writestr(entry, part, zipfile.ZIP_DEFLATED)
    end = len(out.getvalue()) - 22
    data = out.getvalue()[: end + 12] + b"\xff" * 8 + b"\0" * 2  # see the ZIP64 record
    package = opened(data[: data.index(b"PK\x01\x02")] if is_searched else b"before" + data)
    assert texts(package) == ["One", "Two"]
    assert package.read("word/media/a.png") == PIXEL
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED] * is_searched


@pytest.mark.parametrize("more", [-1, 0, 1, 200, 20_000])
def test_what_zlib_holds_back_at_the_end_is_read(more):
    """zlib may have read all input before it has returned all output."""
    part = b"\0" * ((1 << 16) + more)  # it is asked for 64 KiB at a time
    package = opened(changed({"word/media/a.png": part}), ratio=5000)
    assert package.read("word/media/a.png") == part
    assert codes(package) == []


def test_duplicate_entry_names():
    out = io.BytesIO(SOME)
    with zipfile.ZipFile(out, "a") as target, pytest.warns(UserWarning, match="Duplicate"):
        target.writestr("word/document.xml", parts_of(docx("<p>Three</p>"))["word/document.xml"])
    package = opened(out.getvalue())
    assert texts(package) == ["Three"]
    assert codes(package) == [IssueCode.PACKAGE_REPAIRED]


# files that are refused


def _flagged(flag):
    data = bytearray(SOME)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + place] |= flag
            at = data.find(mark, at + 4)
    return bytes(data)


def _ole(stream):
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + stream.encode("utf-16-le")


def _office(kind, name):
    type_ = f"application/vnd.openxmlformats-officedocument.{kind}.main+xml"
    types = (
        f'<Types xmlns="{PACKAGE}/content-types"><Override PartName="/{name}" '
        f'ContentType="{type_}"/></Types>'
    )
    rels = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
        f'Type="{OFFICE}/officeDocument" Target="{name}"/></Relationships>'
    )
    return zipped({"[Content_Types].xml": types, "_rels/.rels": rels, name: "<a/>"})


REFUSED = {
    "empty": (b"", errors.EmptyFileError, "empty"),
    "zeros": (b"\0" * 500, errors.EmptyFileError, "empty"),
    "password": (_ole("EncryptedPackage"), errors.EncryptedError, "encrypted"),
    "encrypted entries": (_flagged(1), errors.EncryptedError, "encrypted"),
    "doc": (_ole("WordDocument"), errors.LegacyWordError, "doc"),
    "xls": (_ole("Workbook"), errors.NotWordError, "xls"),
    "msg": (_ole("__substg1.0_"), errors.NotWordError, "msg"),
    "ole": (_ole("what"), errors.NotWordError, "ole"),
    "ppt": (_ole("PowerPoint Document"), errors.NotWordError, "ppt"),
    "ole around a zip file": (_ole("Workbook") + SOME, errors.NotWordError, "xls"),
    "lock": (b"\x05Names" + b" " * 156, errors.LockFileError, "lock"),
    "longest lock": (b"\x35" + b"x" * 161, errors.LockFileError, "lock"),
    "no lock: name": (b"\x36" + b"x" * 161, errors.NotWordError, "unknown"),
    "no lock: zero": (b"\x00" + b"x" * 161, errors.NotWordError, "unknown"),
    "no lock: size": (b"\x05" + b"x" * 162, errors.NotWordError, "unknown"),
    "rtf": (rb"{\rtf1\ansi Hello}", errors.RtfError, "rtf"),
    "pdf": (b"%PDF-1.7\n", errors.PdfError, "pdf"),
    "pdf after blanks": (b"\xef\xbb\xbf\r\n %PDF-1.7\n", errors.PdfError, "pdf"),
    "7z": (b"7z\xbc\xaf\x27\x1c", errors.NotWordError, "7z"),
    "rar": (b"Rar!\x1a\x07", errors.NotWordError, "rar"),
    "png": (b"\x89PNG\r\n", errors.NotWordError, "png"),
    "jpeg": (b"\xff\xd8\xff\xe0", errors.NotWordError, "jpeg"),
    "html": (b"\xef\xbb\xbf<!-- x -->\n<!DOCTYPE html><html>", errors.HtmlError, "html"),
    "xhtml": (
        b'<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">',
        errors.HtmlError,
        "html",
    ),
    "mhtml": (b"MIME-Version: 1.0\n", errors.NotWordError, "mhtml"),
    "word xml": (
        b'<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:x/>',
        errors.NotWordError,
        "xml",
    ),
    "git lfs": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0",
        errors.NotWordError,
        "git-lfs",
    ),
    "text": (b"Hello, world", errors.NotWordError, "unknown"),
    "gzip": (b"\x1f\x8b\x08", errors.NotWordError, "gzip"),
    "xlsx": (_office("spreadsheetml.sheet", "xl/workbook.xml"), errors.NotWordError, "xlsx"),
    "pptx": (
        _office("presentationml.presentation", "ppt/presentation.xml"),
        errors.NotWordError,
        "pptx",
    ),
    "xlsx of other names": (
        _office("spreadsheetml.sheet", "a/b.xml"),
        errors.NotWordError,
        "xlsx",
    ),
    "text about html": (b"Write <html> first", errors.NotWordError, "unknown"),
    "xlsx with a Word part": (
        changed(
            {"word/document.xml": parts_of(SOME)["word/document.xml"]},
            _office("spreadsheetml.sheet", "xl/workbook.xml"),
        ),
        errors.NotWordError,
        "xlsx",
    ),
    "theme": (_office("themeManager", "theme/theme.xml"), errors.NotWordError, "office"),
    "odt": (
        b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/vnd.oasis.opendocument.textPK",
        errors.ConvertibleError,
        "odt",
    ),
    "odt that is compressed": (
        zipped(
            {"mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": "<a/>"}
        ),
        errors.NotWordError,
        "opendocument",
    ),
    "vsdx": (zipped({"visio/document.xml": "<a/>"}), errors.NotWordError, "vsdx"),
    "xlsb": (zipped({"XL/workbook.bin": "a"}), errors.NotWordError, "xlsx"),
    "epub": (zipped({"META-INF/container.xml": "<a/>"}), errors.NotWordError, "epub"),
    "zip": (zipped({"a.txt": "a"}), errors.NotWordError, "zip"),
    "zip with a folder": (zipped({"a/word/document.xml": "a"}), errors.NotWordError, "zip"),
}


@pytest.mark.parametrize(("data", "error", "kind"), REFUSED.values(), ids=REFUSED)
def test_other_file_types_are_named(data, error, kind):
    with pytest.raises(errors.NotWordError) as caught:
        opened(data)
    assert type(caught.value) is error
    assert caught.value.kind == kind
    assert 20 < len(str(caught.value)) < 200
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"PK\x03\x04", errors.TruncatedError),
        (SOME[:300], errors.TruncatedError),
        (changed({"word/document.xml": None}), errors.DamagedError),
        (zipped({"[Content_Types].xml": "<a/>"}), errors.DamagedError),
        (b"PK", errors.TruncatedError),
        (b"PK\x05\x06" + b"\0" * 18, errors.NotWordError),
    ],
)
def test_files_too_damaged_to_read(data, error):
    with pytest.raises(error):
        opened(data)


def test_doctype_is_refused_in_the_main_part_and_an_issue_in_others():
    for name in ("word/document.xml", "word/styles.xml"):
        _, _, rest = parts_of(SOME)[name].partition(b"?>")
        package = opened(changed({name: b'<!DOCTYPE a [<!ENTITY e "x">]>' + rest}))
        if name == package.main:
            with pytest.raises(errors.UnsafeError):
                package.document()
        else:
            assert package.xml(name) is None
            assert codes(package) == [IssueCode.PART_BROKEN]


def test_unknown_compression_is_not_read():
    data = bytearray(SOME)
    place = data.index(b"word/styles.xml", data.index(b"PK\x01\x02")) - 46
    data[place + 10] = 99
    package = opened(bytes(data))
    assert package.xml("word/styles.xml") is None
    assert "packed by method 99" in package.issues[0].message


# limits

ZEROS = changed({"word/media/a.png": b"\0" * 9_000_000})


def _lying(data, name, size):
    """Return the ZIP file with a smaller declared size of an entry."""
    data = bytearray(data)
    place = data.index(name.encode(), data.index(b"PK\x01\x02")) - 46
    data[place + 24 : place + 28] = struct.pack("<L", size)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "limits", "name"),
    [
        (SOME, {"file": 1000}, "file"),
        (SOME, {"entries": 3}, "entries"),
        (SOME[: SOME.index(b"PK\x01\x02")], {"entries": 3}, "entries"),
        (SOME, {"part": 100}, "part"),
        (SOME, {"total": 1500}, "total"),
        (_lying(SOME, "word/document.xml", 7), {"part": 600}, "part"),
        (_lying(SOME, "word/document.xml", 0), {"part": 600}, "part"),
    ],
    ids=range(7),
)
def test_limits(data, limits, name):
    with pytest.raises(errors.LimitError) as caught:
        opened(data, **limits).document()
    assert caught.value.limit == name
    assert name in str(caught.value)


@pytest.mark.parametrize(
    "data", [ZEROS, _lying(ZEROS, "word/media/a.png", 10)], ids=["honest", "lying"]
)
def test_zip_bomb_among_pictures_is_left_out(data):
    package = opened(data)
    assert package.read("word/media/a.png") is None
    assert codes(package) == [IssueCode.ASSET_DROPPED]
    assert texts(package) == ["One", "Two"]
    assert len(opened(data, ratio=5000).read("word/media/a.png")) == 9_000_000


@pytest.mark.parametrize(
    ("size", "method", "is_read"),
    [
        (8 << 20, zipfile.ZIP_DEFLATED, True),
        ((8 << 20) + 1, zipfile.ZIP_DEFLATED, False),
        ((8 << 20) + 1, zipfile.ZIP_STORED, True),
    ],
)
def test_the_ratio_of_large_parts_is_limited(size, method, is_read):
    data = zipped(parts_of(SOME) | {"word/media/a.png": b"\0" * size}, method)
    package = opened(data, ratio=1 if method == zipfile.ZIP_STORED else 60)
    assert (package.read("word/media/a.png") is not None) == is_read


@pytest.mark.parametrize("name", ["part", "total"])
@pytest.mark.parametrize("declared", [len(PIXEL), 7, 0])
def test_a_part_at_its_limit_is_read(name, declared):
    """However often, and whatever size it declares."""
    data = _lying(SOME, "word/media/a.png", declared)
    archive = Archive(data, Limits(**{name: len(PIXEL)}))
    assert archive.inflated == 0
    for _ in range(3):
        assert b"".join(archive.pieces("word/media/a.png")) == PIXEL
        assert archive.inflated == len(PIXEL)
    with pytest.raises(errors.LimitError):
        list(Archive(data, Limits(**{name: len(PIXEL) - 1})).pieces("word/media/a.png"))


def test_a_picture_at_its_limit_is_read():
    assert opened(SOME, image=len(PIXEL)).read("word/media/a.png") == PIXEL
    assert opened(SOME, image=len(PIXEL) - 1).read("word/media/a.png") is None


def test_large_parts_together_may_be_as_large_as_the_file():
    names = ["word/media/a.png", "word/media/b.png"]
    parts = parts_of(SOME) | dict.fromkeys(names, b"\0" * (9 << 20))
    package = opened(zipped(parts, zipfile.ZIP_STORED), ratio=1)
    before = package.inflated
    assert [len(package.read(name)) for name in names] == [9 << 20] * 2
    assert package.inflated == before + (18 << 20)


def test_an_encrypted_picture_is_left_out():
    data = bytearray(SOME)
    data[data.index(b"word/media/a.png", data.index(b"PK\x01\x02")) - 38] |= 1
    package = opened(bytes(data))
    assert package.read("word/media/a.png") is None
    assert "encrypted" in package.issues[0].message


def test_folders_are_no_parts():
    assert "word/" not in opened(zipped({"word/": b"", **parts_of(SOME)})).names()


def test_an_empty_picture_is_left_out():
    package = opened(changed({"word/media/a.png": b""}))
    assert package.read("word/media/a.png") is None
    assert codes(package) == [IssueCode.ASSET_DROPPED]


def test_zip_bomb_of_several_parts_is_left_out():
    names = [f"word/media/{letter}.png" for letter in "abc"]
    package = opened(changed(dict.fromkeys(names, b"\0" * 8_000_000)))
    assert [package.read(name) is None for name in names] == [False, False, True]


def test_picture_over_the_limit_is_left_out():
    package = opened(SOME, image=10)
    assert package.read("word/media/a.png") is None
    assert codes(package) == [IssueCode.ASSET_DROPPED]


def test_part_read_twice_counts_once():
    total = sum(map(len, parts_of(SOME).values()))
    package = opened(SOME, total=total)
    for _ in range(10):
        assert package.read("word/media/a.png") == PIXEL
        package.document()
    assert package.issues == []
    package = opened(SOME, total=total - 1)
    for name in parts_of(SOME):
        package.read(name)
    assert codes(package) == [IssueCode.ASSET_DROPPED]


@pytest.mark.parametrize("data", [SOME, SOME[: SOME.index(b"PK\x01\x02")]])
def test_as_many_entries_as_allowed_are_read(data):
    number = len(parts_of(SOME))
    assert texts(opened(data, entries=number)) == ["One", "Two"]
    with pytest.raises(errors.LimitError):
        opened(data, entries=number - 1)


def test_too_many_entries_are_refused():
    entry = (
        struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
        + b"a"
    )
    start = SOME.index(b"PK\x03\x04")
    data = (
        SOME
        + entry * 30_000
        + struct.pack(
            "<4s4H2LH", b"PK\x05\x06", 0, 0, 30_000, 30_000, len(entry) * 30_000, len(SOME), 0
        )
    )
    assert start == 0
    with pytest.raises(errors.LimitError):
        opened(data)


# laws


@contextmanager
def _only_refusals():
    """Require that any exception is a documented one with a message."""
    try:
        yield
    except errors.DocxchunkError as error:
        sentence = str(error)
    else:
        sentence = "read"
    assert 0 < len(sentence) < 400


@settings(max_examples=some(300))
@given(st.data())
def test_damage_raises_only_documented_errors(data):
    raw = bytearray(SOME)
    for _ in range(data.draw(st.integers(1, 12))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del raw[data.draw(st.integers(0, len(raw))) :]
    with _only_refusals():
        package = opened(bytes(raw))
        package.document()
        for part in package.names():
            package.xml(part)
            package.read(part)


@given(
    st.binary(max_size=300),
    st.sampled_from(
        [b"", b"PK\x03\x04", b"PK\x05\x06", SOME[:200], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<"]
    ),
)
def test_any_bytes_raise_only_documented_errors(data, head):
    with _only_refusals():
        opened(head + data).document()


@given(
    st.sampled_from(sorted(parts_of(SOME))),
    st.sampled_from(sorted(parts_of(SOME))),
    st.integers(0, 2000),
)
def test_exchanged_parts_raise_only_documented_errors(name, other, cut):
    parts = parts_of(SOME)
    with _only_refusals():
        package = opened(changed({name: parts[other][:cut]}))
        package.document()
        for part in package.names():
            package.relationships(part)
            package.xml(part)

"""Conversion with LibreOffice: with a fake program, and with LibreOffice itself if it is
installed.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from cli.helpers import REPORT, docxchunk, summary
from docx_builder import docx

import docxchunk as library
from docxchunk import Limits, ParseOptions
from docxchunk.backends.libreoffice import to_docx
from docxchunk.errors import DamagedError, LegacyWordError, LimitError, MissingExtraError
from docxchunk.model.document import IssueCode

RTF = rb"{\rtf1\ansi{\b Title}\par Hello world, caf\'e9.\par}"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
CONVERT = ParseOptions(convert="libreoffice")

pytestmark = pytest.mark.skipif(
    sys.platform == "win32",
    reason="the stand-in is a script with a first line that names its interpreter",
)


@pytest.fixture
def soffice(tmp_path, monkeypatch):
    """Return a function that puts a fake soffice on PATH and returns its folder. Its body is Python
    with the variables `source` and `out`.
    """
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", str(place))

    def make(body):
        program = place / "soffice"
        given = (
            "import os, pathlib, subprocess, sys, time\nsource, out = "
            "pathlib.Path(sys.argv[-1]), pathlib.Path(sys.argv[-2])\n"
        )
        program.write_text(f"#!{sys.executable}\n{given}{body}\n", "utf-8")
        program.chmod(0o755)
        (place / "made.docx").write_bytes(REPORT)
        return place

    return make


def odt(heading, text):
    """Return an OpenDocument text of a heading and a paragraph."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        package.writestr(
            "content.xml",
            f'<o:document-content xmlns:o="{ODF}:office:1.0" xmlns:t="{ODF}:text:1.0" '
            f'o:version="1.2"><o:body><o:text><t:h t:outline-level="1">{heading}</t:h>'
            f"<t:p>{text}</t:p></o:text></o:body></o:document-content>",
        )
        package.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{ODF}:manifest:1.0" m:version="1.2"><m:file-entry '
            'm:full-path="/" m:media-type="application/vnd.oasis.opendocument.text"/>'
            '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>',
        )
    return file.getvalue()


def copying(place):
    return (
        "out.mkdir()\n(out / "
        f"'document.docx').write_bytes(pathlib.Path('{place}/made.docx').read_bytes())"
    )


def test_a_converted_document_equals_the_original(soffice, tmp_path):
    soffice(copying(tmp_path / "bin"))
    (tmp_path / "old.doc").write_bytes(RTF)
    found = library.parse(tmp_path / "old.doc", options=CONVERT)
    assert (found.name, found.format, found.source_sha256) == (
        "old.doc",
        "rtf",
        sha256(RTF).hexdigest(),
    )
    assert [block.heading for block in found.blocks] == [
        block.heading for block in library.parse(REPORT, name="x").blocks
    ]
    assert [issue.code for issue in found.issues] == [IssueCode.CONVERTED]
    assert found.options == CONVERT
    (tmp_path / "bin" / "made.docx").write_bytes(docx("<p>Edited.</p>"))
    (tmp_path / "old.doc").write_bytes(RTF + b" ")
    # the id depends only on the name
    assert library.parse(tmp_path / "old.doc", options=CONVERT).doc_id == found.doc_id


def test_bytes_without_a_name_have_an_id_of_their_content(soffice, tmp_path):
    soffice(copying(tmp_path / "bin"))
    first, second = (library.parse(source, options=CONVERT) for source in (RTF, RTF + b" "))
    assert first.doc_id != second.doc_id
    assert [issue.code for issue in first.issues] == [
        IssueCode.CONVERTED,
        IssueCode.ID_FROM_CONTENT,
    ]
    assert library.parse(RTF, options=CONVERT, doc_id="mine").doc_id == "mine"


def test_it_runs_in_a_temporary_folder_that_is_removed(soffice, tmp_path):
    told = tmp_path / "told"
    soffice(
        "profile = next(word for word in sys.argv if "
        "word.startswith('-env:UserInstallation=file://')).partition('file://')[2]\n"
        f"settings = pathlib.Path(profile, 'user', 'registrymodifications.xcu').read_text()\n"
        "assert 'DisableMacrosExecution' in settings and "
        f"source.read_bytes().startswith(b'{{\\\\rtf')\n"
        f"assert os.environ['HOME'] == os.environ['TMPDIR'] == os.getcwd() == str(source.parent)\n"
        f"pathlib.Path('{told}').write_text(os.getcwd())\n{copying(tmp_path / 'bin')}"
    )
    assert to_docx(RTF, "rtf", Limits()) == REPORT
    assert not Path(told.read_text("utf-8")).exists()


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("ends", [False, True])
def test_it_is_killed_with_its_child_processes(soffice, tmp_path, ends):
    told = tmp_path / "told"
    child = (
        "child = subprocess.Popen([sys.executable, '-c', 'import time; "
        f"time.sleep(60)'])\npathlib.Path('{told}').write_text(str(child.pid))"
    )
    soffice(f"{child}\n{copying(tmp_path / 'bin') if ends else 'time.sleep(60)'}")
    if ends:
        to_docx(RTF, "rtf", Limits())
    else:
        with pytest.raises(LimitError, match="took more than 1 seconds") as caught:
            to_docx(RTF, "rtf", Limits(conversion=1))
        assert caught.value.limit == "conversion"
    until = time.monotonic() + 20
    while is_running(int(told.read_text("utf-8"))) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(int(told.read_text("utf-8")))


def test_a_failed_conversion_is_an_error(soffice, tmp_path):
    soffice("print('Error: source file could not be loaded\\n')")
    with pytest.raises(
        DamagedError, match=r"could not convert it \(Error: source file could not be loaded\)"
    ):
        to_docx(RTF, "rtf", Limits())
    soffice(copying(tmp_path / "bin"))
    with pytest.raises(LimitError, match="larger than 10 bytes"):
        to_docx(RTF, "rtf", Limits(file=10))


def test_conversion_needs_libreoffice_and_the_option(tmp_path, monkeypatch):
    monkeypatch.setattr("docxchunk.backends.libreoffice._PROGRAMS", ("no-such-program",))
    with pytest.raises(
        MissingExtraError,
        match="LibreOffice is not installed, or its program soffice is not on PATH",
    ):
        library.parse(RTF, options=CONVERT)
    with pytest.raises(library.RtfError, match='convert="libreoffice"'):
        library.parse(RTF)


def test_files_of_a_folder_are_converted_once(soffice, tmp_path):
    place = soffice(copying(tmp_path / "bin"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.rtf").write_bytes(RTF)
    (docs / "b.docx").write_bytes(REPORT)
    path = f"{place}{os.pathsep}{os.environ['PATH']}"
    said = docxchunk("parse", docs, "--convert", "libreoffice", PATH=path)
    assert (said.code, said.out) == (0, f"{docs / 'a.rtf.parsed'}\n{docs / 'b.docx.parsed'}\n")
    assert library.read(docs / "a.rtf.parsed").format == "rtf"
    (place / "soffice").unlink()
    assert (
        summary(docxchunk("parse", docs, "--convert", "libreoffice", PATH=path))["unchanged"] == "2"
    )
    refused = docxchunk("parse", docs / "a.rtf")
    assert refused.code == 1
    assert "--convert libreoffice" in refused.err


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.slow
def test_libreoffice_itself(tmp_path):
    found = library.parse(RTF, name="a.rtf", options=CONVERT)
    assert [block.content for block in found.blocks] == ["Title\nHello world, café."]
    assert found == library.parse(RTF, name="a.rtf", options=CONVERT)
    written = library.parse(odt("Title", "Hello world."), name="a.odt", options=CONVERT)
    assert (written.format, written.blocks[0].content) == ("odt", "# Title\nHello world.")
    with pytest.raises(LegacyWordError):
        library.parse(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"))
    with pytest.raises(DamagedError):
        library.parse(
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"),
            options=CONVERT,
        )

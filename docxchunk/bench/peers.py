"""Find the other programs that read Word files and are installed, to compare with."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

ReadFile = Callable[[Path], object]
"""Read a file; `str` of the result is its text, in whatever markup the program writes."""


class Peer(NamedTuple):
    """A program and its version; `start` imports it, which is not measured, and returns the function that reads a file."""

    name: str
    version: str
    start: Callable[[], ReadFile]


def installed() -> Iterator[Peer]:
    """Yield the programs that are installed beside docxchunk."""
    for package, (module, start) in _PACKAGES.items():
        if find_spec(module):
            yield Peer(package, _version(package), start)
    if shutil.which("pandoc"):
        said = subprocess.run(["pandoc", "--version"], capture_output=True, text=True, check=True)  # noqa: S607 - the pandoc on PATH
        yield Peer("pandoc", said.stdout.split()[1], _pandoc)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _python_docx() -> ReadFile:
    document = import_module("docx").Document
    return lambda path: "\n".join(paragraph.text for paragraph in document(str(path)).paragraphs)


def _mammoth() -> ReadFile:
    convert = import_module("mammoth").convert_to_html

    def work(path: Path) -> str:
        with path.open("rb") as file:
            return str(convert(file).value)

    return work


def _markitdown() -> ReadFile:
    converter = import_module("markitdown").MarkItDown()
    return lambda path: str(converter.convert(str(path)).text_content)


def _docling() -> ReadFile:
    converter = import_module("docling.document_converter").DocumentConverter()
    return lambda path: str(converter.convert(path).document.export_to_markdown())


def _unstructured() -> ReadFile:
    partition = import_module("unstructured.partition.docx").partition_docx
    return lambda path: "\n".join(map(str, partition(filename=str(path))))


def _lightrag() -> ReadFile:
    parser = import_module("lightrag.parser.docx.parser").NativeDocxParser()

    def work(path: Path) -> str:
        with tempfile.TemporaryDirectory() as folder:
            assets = Path(folder, "assets")
            assets.mkdir()
            blocks, *_ = parser.extract(path, parsed_dir=Path(folder), asset_dir=assets, base_name=path.stem)
            return "\n".join(f"{block.get('heading', '')}\n{block.get('content', '')}" for block in blocks)

    return work


def _office_oxide() -> ReadFile:
    read = import_module("office_oxide").to_markdown
    return lambda path: str(read(str(path)))


def _pandoc() -> ReadFile:
    def work(path: Path) -> str:
        said = subprocess.run(["pandoc", "--to", "markdown", str(path)], capture_output=True, check=True)  # noqa: S603, S607 - as above
        return said.stdout.decode("utf-8", "replace")

    return work


_PACKAGES: Final[Mapping[str, tuple[str, Callable[[], ReadFile]]]] = {
    "python-docx": ("docx", _python_docx),
    "mammoth": ("mammoth", _mammoth),
    "markitdown": ("markitdown", _markitdown),
    "docling": ("docling", _docling),
    "unstructured": ("unstructured", _unstructured),
    "lightrag-hku": ("lightrag", _lightrag),
    "office-oxide": ("office_oxide", _office_oxide),
}

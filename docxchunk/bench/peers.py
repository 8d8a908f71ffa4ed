"""Other programs that read Word files, where they are installed: each turns one file into what it makes of one."""

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

Work = Callable[[Path], object]


class Peer(NamedTuple):
    """A program and its version; `start` makes it ready, which is not measured, and gives what reads a file."""

    name: str
    version: str
    start: Callable[[], Work]


def installed() -> Iterator[Peer]:
    """Those that are installed beside docxchunk."""
    for package, (module, start) in _PACKAGES.items():
        if find_spec(module):
            yield Peer(package, _version(package), start)
    if shutil.which("pandoc"):
        said = subprocess.run(["pandoc", "--version"], capture_output=True, text=True, check=True)  # noqa: S607 - whichever the user has
        yield Peer("pandoc", said.stdout.split()[1], _pandoc)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _python_docx() -> Work:
    document = import_module("docx").Document
    return lambda path: [paragraph.text for paragraph in document(str(path)).paragraphs]


def _mammoth() -> Work:
    convert = import_module("mammoth").convert_to_html

    def work(path: Path) -> object:
        with path.open("rb") as file:
            return convert(file)

    return work


def _markitdown() -> Work:
    converter = import_module("markitdown").MarkItDown()
    return lambda path: converter.convert(str(path))


def _docling() -> Work:
    converter = import_module("docling.document_converter").DocumentConverter()
    return lambda path: converter.convert(path).document.export_to_markdown()


def _unstructured() -> Work:
    partition = import_module("unstructured.partition.docx").partition_docx
    return lambda path: partition(filename=str(path))


def _lightrag() -> Work:
    parser = import_module("lightrag.parser.docx.parser").NativeDocxParser()

    def work(path: Path) -> object:
        with tempfile.TemporaryDirectory() as folder:
            assets = Path(folder, "assets")
            assets.mkdir()
            return parser.extract(path, parsed_dir=Path(folder), asset_dir=assets, base_name=path.stem)

    return work


def _pandoc() -> Work:
    return lambda path: subprocess.run(["pandoc", "--to", "markdown", str(path)], capture_output=True, check=True)  # noqa: S603, S607 - as above


_PACKAGES: Final[Mapping[str, tuple[str, Callable[[], Work]]]] = {
    "python-docx": ("docx", _python_docx),
    "mammoth": ("mammoth", _mammoth),
    "markitdown": ("markitdown", _markitdown),
    "docling": ("docling", _docling),
    "unstructured": ("unstructured", _unstructured),
    "lightrag-hku": ("lightrag", _lightrag),
}

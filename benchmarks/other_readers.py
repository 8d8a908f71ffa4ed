"""Programs that read Word files, for docs/comparison.md: how each is called, in the form that its
own documentation gives first, and their versions, which are in requirements.txt beside this file.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

import docxchunk
from docxchunk.lab.bench.speed import ReadFile

PINS: Final = Path(__file__).with_name("requirements.txt")

Start = Callable[[], ReadFile]


class Program(NamedTuple):
    """A program. `start` imports it and returns the function that reads a file; `start_all` does so
    with all its documented options that keep more of the document (headers, comments, marks of the
    text), if it has any.

    `package` is its name on PyPI, `module` the one that is imported. A program without `structure`
    returns no headings and tables, only words.
    """

    name: str
    package: str
    module: str
    start: Start
    start_all: Start | None = None
    language: str = "Python"
    structure: bool = True

    @property
    def version(self) -> str:
        """The version that is installed. For pandoc, it is the version of the program, not of the
        package.
        """
        if self.package == "docxchunk":
            return docxchunk.__version__
        if self.package == "pypandoc_binary":
            return str(import_module("pypandoc").get_pandoc_version())
        return version(self.package)


def installed() -> Iterator[Program]:
    """Yield the programs that are installed, docxchunk first."""
    return (program for program in PROGRAMS if find_spec(program.module))


# -- docxchunk


def _docxchunk() -> ReadFile:
    return lambda path: docxchunk.parse(path).to_markdown()


def _docxchunk_all() -> ReadFile:
    options = docxchunk.ParseOptions(everything=True)
    return lambda path: docxchunk.parse(path, options=options).to_markdown()


# -- Python

# what the documentation of mammoth shows to keep comments, highlighting and underlines
_STYLE_MAP: Final = "comment-reference => sup\nhighlight => mark\nu => u\nstrike => s"


def _python_docx() -> ReadFile:
    document = import_module("docx").Document
    return lambda path: "\n".join(paragraph.text for paragraph in document(str(path)).paragraphs)


def _mammoth() -> ReadFile:
    convert = import_module("mammoth").convert_to_html

    def read(path: Path) -> str:
        with path.open("rb") as file:
            return str(convert(file).value)

    return read


def _mammoth_all() -> ReadFile:
    convert = import_module("mammoth").convert_to_html

    def read(path: Path) -> str:
        with path.open("rb") as file:
            return str(convert(file, style_map=_STYLE_MAP).value)

    return read


def _markitdown() -> ReadFile:
    converter = import_module("markitdown").MarkItDown()
    return lambda path: converter.convert(str(path)).text_content


def _markitdown_all() -> ReadFile:
    converter = import_module("markitdown").MarkItDown(style_map=_STYLE_MAP)
    return lambda path: converter.convert(str(path)).text_content


def _docling() -> ReadFile:
    converter = import_module("docling.document_converter").DocumentConverter()
    return lambda path: converter.convert(path).document.export_to_markdown()


def _docling_all() -> ReadFile:
    return _with_all_layers(import_module("docling.document_converter").DocumentConverter())


def _with_all_layers(converter: Any) -> ReadFile:
    """Read with running headers, comments and what else Docling leaves out of the Markdown."""
    layers = set(import_module("docling_core.types.doc").ContentLayer)
    return lambda path: converter.convert(str(path)).document.export_to_markdown(
        included_content_layers=layers
    )


def _all2md() -> ReadFile:
    convert = import_module("all2md").to_markdown
    return lambda path: convert(str(path))


def _all2md_all() -> ReadFile:
    convert = import_module("all2md").to_markdown
    return lambda path: convert(str(path), include_comments=True)


def _docslicer() -> ReadFile:
    parse = import_module("docslicer").parse_document
    return lambda path: parse(str(path)).export_to_markdown()


def _docslicer_all() -> ReadFile:
    parse = import_module("docslicer").parse_document
    return lambda path: parse(
        str(path), include_headers_footers=True, include_comments=True
    ).export_to_markdown()


def _lightrag() -> ReadFile:
    parser = import_module("lightrag.parser.docx.parser").NativeDocxParser()

    def read(path: Path) -> str:
        with tempfile.TemporaryDirectory() as folder:
            assets = Path(folder, "assets")
            assets.mkdir()
            blocks, *_ = parser.extract(
                path, parsed_dir=Path(folder), asset_dir=assets, base_name=path.stem
            )
            return "\n".join(
                f"# {block.get('heading', '')}\n{block.get('content', '')}" for block in blocks
            )

    return read


# -- Rust and Haskell


def _anydoc() -> ReadFile:
    convert = import_module("anydoc").to_markdown
    return lambda path: convert(str(path))


def _docling_rs() -> ReadFile:
    converter = import_module("docling_rs").DocumentConverter()
    return lambda path: converter.convert(str(path)).document.export_to_markdown()


def _docling_rs_all() -> ReadFile:
    return _with_all_layers(import_module("docling_rs").DocumentConverter())


def _office_oxide() -> ReadFile:
    convert = import_module("office_oxide").to_markdown
    return lambda path: convert(str(path))


def _xberg(**options: object) -> ReadFile:
    xberg = import_module("xberg")
    config = xberg.ExtractionConfig(output_format="markdown", use_cache=False, **options)

    def read(path: Path) -> str:
        source = xberg.ExtractInput(kind="uri", uri=str(path))
        return str(asyncio.run(xberg.extract(source, config)).results[0].content)

    return read


def _xberg_all() -> ReadFile:
    xberg = import_module("xberg")
    kept = xberg.ContentFilterConfig(
        include_headers=True,
        include_footers=True,
        include_footnotes=True,
        include_watermarks=True,
        strip_repeating_text=False,
    )
    return _xberg(content_filter=kept)


def _pandoc() -> ReadFile:
    convert = import_module("pypandoc").convert_file
    return lambda path: convert(str(path), "gfm", format="docx")


def _pandoc_all() -> ReadFile:
    convert = import_module("pypandoc").convert_file
    return lambda path: convert(
        str(path), "markdown", format="docx", extra_args=["--track-changes=all"]
    )


PROGRAMS: Final = (
    Program("docxchunk", "docxchunk", "docxchunk", _docxchunk, _docxchunk_all),
    Program("anydoc", "firecrawl-anydoc", "anydoc", _anydoc, language="Rust"),
    Program("docling-rs", "docling-rs", "docling_rs", _docling_rs, _docling_rs_all, "Rust"),
    Program("office-oxide", "office-oxide", "office_oxide", _office_oxide, language="Rust"),
    Program("xberg", "xberg", "xberg", _xberg, _xberg_all, "Rust"),
    Program("all2md", "all2md", "all2md", _all2md, _all2md_all),
    Program("docling", "docling", "docling", _docling, _docling_all),
    Program("DocSlicer", "docslicer", "docslicer", _docslicer, _docslicer_all),
    Program("LightRAG", "lightrag-hku", "lightrag", _lightrag),
    Program("mammoth", "mammoth", "mammoth", _mammoth, _mammoth_all),
    Program("MarkItDown", "markitdown", "markitdown", _markitdown, _markitdown_all),
    Program("pandoc", "pypandoc_binary", "pypandoc", _pandoc, _pandoc_all, "Haskell"),
    Program("python-docx", "python-docx", "docx", _python_docx, structure=False),
)


# -- versions


def pins() -> dict[str, str]:
    """Return the versions in requirements.txt by package."""
    found = re.findall(r"^([\w-]+)(?:\[\w+\])?==(\S+)", PINS.read_text("utf-8"), re.MULTILINE)
    return dict(found)

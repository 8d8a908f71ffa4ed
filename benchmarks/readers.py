"""Compare docxchunk with other programs that read Word files, as far as they are installed.

`python -m benchmarks.readers speed FILE...` measures all of them as `docxchunk bench speed` does.
`python -m benchmarks.readers features` prints the table in docs/comparison.md: what they read of
our documents.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import click

import docxchunk
from docxchunk.bench.speed import ReadFile
from docxchunk.bench.speed import speed as measured
from docxchunk.cli import main
from docxchunk.cli.bench import show, speed_options

DOCUMENTS: Final = Path(__file__).parents[1] / "fixtures" / "documents"


class Peer(NamedTuple):
    """A program and its version; `start` imports it, which is not measured, and returns the
    function that reads a file.
    """

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
            blocks, *_ = parser.extract(
                path, parsed_dir=Path(folder), asset_dir=assets, base_name=path.stem
            )
            return "\n".join(
                f"{block.get('heading', '')}\n{block.get('content', '')}" for block in blocks
            )

    return work


def _office_oxide() -> ReadFile:
    read = import_module("office_oxide").to_markdown
    return lambda path: str(read(str(path)))


def _pandoc() -> ReadFile:
    def work(path: Path) -> str:
        said = subprocess.run(  # noqa: S603 - as above
            ["pandoc", "--to", "markdown", str(path)],  # noqa: S607 - as above
            capture_output=True,
            check=True,
        )
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


# -- features


class Check(NamedTuple):
    """A feature to check. One of the texts `wanted` must be in what a program makes of the
    document: Markdown, HTML or plain text.
    """

    feature: str
    document: str
    wanted: tuple[str, ...]


PANDOC_GRID = "| Tank | Top floor | | tested"  # pandoc draws merged cells as wide ones

CHECKS = (
    Check("numbers of headings", "sample-report", ("1.1 Why rainwater",)),
    Check("numbers of headings with other text, as in § 1", "tracked-changes", ("§ 1 Plots",)),
    Check("numbers of list items, as in (a)", "contract", ("(a) Words with a capital letter",)),
    Check(
        "numbers of list items after a deleted one", "tracked-changes", ("(2) Ponds", "2. Ponds")
    ),
    Check("equations as LaTeX", "sample-report", (r"\frac{C}{V",)),
    Check("equations with parentheses in their default form", "equations", ("$", "<equation>")),
    Check("footnotes", "sample-report", ("One cubic metre is",)),
    Check(
        "merged cells: each column has its header",
        "sample-report",
        ('colspan="2">Top floor', "Top floor | Top floor", PANDOC_GRID),
    ),
    Check("text boxes", "boxes-and-controls", ("10 to 18 o'clock",)),
    Check(
        "check boxes",
        "boxes-and-controls",
        ("☒ news by post", "[x] news by post", 'type="checkbox" /> news by post'),
    ),
    Check("table rows in content controls", "boxes-and-controls", ("12 euros",)),
    Check("tracked changes: inserted paragraphs", "tracked-changes", ("Music is not heard",)),
    Check("tracked changes: inserted cells", "tracked-changes", ("210",)),
)


def readers() -> dict[str, ReadFile]:
    """Return the programs by name and version, docxchunk first. The reader for python-docx returns
    only the text of paragraphs and is left out.
    """
    others = {
        f"{peer.name} {peer.version}": peer.start()
        for peer in installed()
        if peer.name != "python-docx"
    }
    return {
        f"docxchunk {docxchunk.__version__}": lambda path: docxchunk.parse(path).to_markdown(),
        **others,
    }


def text_of(name: str, read: ReadFile, document: str) -> str:
    """Return what the program makes of a document, without bold, paragraph tags, escapes and line
    breaks; empty if it fails.
    """
    try:
        found = re.sub(
            r"\*|</?(?:p|strong)>|\\(?=[^\w\s])", "", str(read(DOCUMENTS / f"{document}.docx"))
        )
        return re.sub(r"\s+", " ", found)
    except Exception as error:  # noqa: BLE001 - whatever another program raises
        click.echo(f"{name} fails on {document}.docx: {type(error).__name__}: {error}", err=True)
        return ""


@click.group()
def command() -> None:
    """Compare docxchunk with other readers of Word files: python-docx, mammoth, markitdown,
    docling, unstructured, lightrag-hku, office-oxide, pandoc.
    """


@command.command()
@speed_options
def speed(
    *, files: tuple[Path, ...], strategies: tuple[str, ...], sizes: tuple[int, ...], rounds: int
) -> None:
    """Measure the CPU time of reading and chunking all FILEs, as `docxchunk bench speed` does, in
    the same rounds for all programs.

    The table shows also the peak memory of a process that reads the files, and the share of the
    words that each program kept.
    """
    show(
        measured(
            files,
            strategies,
            rounds,
            sizes,
            {f"{peer.name} {peer.version}": peer.start for peer in installed()},
        )
    )


@command.command()
def features() -> None:
    """Print which features of our documents each program reads, as a Markdown table."""
    documents = {check.document for check in CHECKS}
    texts = {
        name: {document: text_of(name, read, document) for document in documents}
        for name, read in readers().items()
    }
    texts = {name: found for name, found in texts.items() if any(found.values())}
    click.echo(f"| {' | '.join(['', *texts])} |")
    click.echo(f"|{'---|' * (len(texts) + 1)}")
    for check in CHECKS:
        found = [
            "yes" if any(text in read[check.document] for text in check.wanted) else "no"
            for read in texts.values()
        ]
        click.echo(f"| {check.feature} | {' | '.join(found)} |")


if __name__ == "__main__":
    main(command)

"""Look up strategies, tokenizers, embedders and output formats by name.

Entries name the module to import, so listing them imports nothing. Other packages register entry
points in the groups `docxchunk.strategies`, `docxchunk.tokenizers`, `docxchunk.embedders` and
`docxchunk.formats`. They cannot replace a built-in name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from typing import NamedTuple

from docxchunk.errors import MissingExtraError, UsageError
from docxchunk.model.fields import nearest


class PluginKind(StrEnum):
    """The kind of a registered name; the value is its group of entry points."""

    STRATEGY = "docxchunk.strategies"
    TOKENIZER = "docxchunk.tokenizers"
    EMBEDDER = "docxchunk.embedders"
    FORMAT = "docxchunk.formats"

    @property
    def word(self) -> str:
        """The kind as it appears in messages: "strategy"."""
        return self.name.lower()


class PluginEntry(NamedTuple):
    """A registered name.

    - `target`: "module:attribute", as in entry points.
    - `summary`: one line for listings.
    - `extra`: the extra that it needs, as in `pip install docxchunk[extra]`; "" if none.
    """

    target: str
    summary: str
    extra: str = ""


ENTRIES: Mapping[PluginKind, Mapping[str, PluginEntry]] = {
    PluginKind.STRATEGY: {
        "P": PluginEntry(
            "docxchunk.chunking:P",
            "Follows the document: headings, paragraphs, table rows. The default.",
        ),
        "P-staged": PluginEntry(
            "docxchunk.chunking:PStaged",
            "P with the thresholds and stages of its specification.",
        ),
        "R": PluginEntry(
            "docxchunk.chunking:R",
            "Recursive: paragraphs, lines, sentences, words. For plain text.",
        ),
        "fixed": PluginEntry(
            "docxchunk.lab.strategies.plain:Fixed",
            "Pieces of a fixed number of tokens, words or sentences.",
        ),
        "sentence": PluginEntry(
            "docxchunk.lab.strategies.plain:Sentences", "A chunk for each sentence."
        ),
        "paragraph": PluginEntry(
            "docxchunk.lab.strategies.plain:Paragraphs",
            "A chunk for each paragraph, list item and table.",
        ),
        "MG": PluginEntry(
            "docxchunk.lab.strategies.lgmgc:MG",
            "Multi-granular: chunks of another strategy, each split into halves and quarters.",
        ),
        "P+MG": PluginEntry(
            "docxchunk.lab.strategies.lgmgc:PMG",
            "Multi-granular over P: large chunks to read, small ones to search.",
        ),
        "V": PluginEntry(
            "docxchunk.lab.strategies.semantic:V",
            "Semantic: cut where the meaning of neighbouring sentences jumps.",
        ),
        "semantic-20": PluginEntry(
            "docxchunk.lab.strategies.semantic:Semantic20",
            "V at the 20th percentile of similarity: Semantic in the PIC paper.",
        ),
        "similarity": PluginEntry(
            "docxchunk.lab.strategies.semantic:Similarity",
            "V as in LlamaIndex: Similarity Chunking in the Meta-Chunking paper.",
        ),
        "PIC": PluginEntry(
            "docxchunk.lab.strategies.pseudo_instruction:PIC",
            "Neighbouring sentences: all of them similar to the summary of the document, or none.",
        ),
        "RIC": PluginEntry(
            "docxchunk.lab.strategies.pseudo_instruction:RIC",
            "PIC with a given question in place of the summary: --set query=TEXT.",
        ),
        "PIC-random": PluginEntry(
            "docxchunk.lab.strategies.pseudo_instruction:PICRandom",
            "PIC with the summary of another document, as a control.",
        ),
        "cluster": PluginEntry(
            "docxchunk.lab.strategies.semantic:Cluster",
            "Clusters of similar, nearby sentences, which need not be adjacent.",
        ),
        "LG": PluginEntry(
            "docxchunk.lab.strategies.lgmgc:LG", "Cut where a language model would end the text."
        ),
        "LGMGC": PluginEntry("docxchunk.lab.strategies.lgmgc:LGMGC", "Multi-granular over LG."),
        "LG-doc": PluginEntry(
            "docxchunk.lab.strategies.lgmgc:LGDocument", "LG in one pass over the document."
        ),
        "PPL": PluginEntry(
            "docxchunk.lab.strategies.meta_chunking:PPL",
            "Cut at minima of the perplexity of sentences.",
        ),
        "MSP": PluginEntry(
            "docxchunk.lab.strategies.meta_chunking:MSP",
            "Ask a language model at each sentence whether to split.",
        ),
        "LumberChunker": PluginEntry(
            "docxchunk.lab.strategies.prompted:LumberChunker",
            "Ask a language model at which paragraph the content changes.",
        ),
        "proposition": PluginEntry(
            "docxchunk.lab.strategies.prompted:Proposition",
            "Passages, and the facts that a language model extracts from them.",
        ),
        "LLM": PluginEntry(
            "docxchunk.lab.strategies.prompted:DirectLLM",
            "A language model writes separators into the text.",
        ),
    },
    PluginKind.TOKENIZER: {
        "o200k_base": PluginEntry(
            "docxchunk.backends.byte_pairs:o200k_base", "GPT-4o and later. The default."
        ),
        "cl100k_base": PluginEntry(
            "docxchunk.backends.byte_pairs:cl100k_base", "GPT-4, GPT-3.5 and text-embedding-3."
        ),
    },
    PluginKind.EMBEDDER: {
        "minilm": PluginEntry(
            "docxchunk.backends.embeddings:minilm",
            "all-MiniLM-L6-v2, if its weights are installed; English. For tests.",
            "semantic",
        ),
        "hashing": PluginEntry(
            "docxchunk.backends.embeddings:hashing", "Hashed words, without training. For tests."
        ),
    },
    PluginKind.FORMAT: {
        "jsonl": PluginEntry(
            "docxchunk.formats:write_lines", "One JSON object per line. The default."
        ),
        "json": PluginEntry("docxchunk.formats:write_array", "One JSON array."),
        "markdown": PluginEntry(
            "docxchunk.formats.markdown:write", "Markdown, for people and models."
        ),
        "csv": PluginEntry(
            "docxchunk.formats.tables:write_records_csv",
            "One line per chunk with text and citation, for spreadsheets and data frames.",
        ),
        "xlsx": PluginEntry(
            "docxchunk.formats.tables:write_records_workbook", "The same as a workbook.", "xlsx"
        ),
        "parquet": PluginEntry(
            "docxchunk.formats.parquet:write",
            "Apache Parquet, for data frames and data lakes.",
            "parquet",
        ),
    },
}

# names that other programs use, in lower case
OTHER_NAMES: Mapping[PluginKind, Mapping[str, str]] = {
    PluginKind.STRATEGY: {
        "recursive": "R",
        "character": "R",
        "semantic": "V",
        "markdown": "P",
        "headings": "P",
        "by_title": "P",
        "hierarchical": "P",
        "hybrid": "P",
        "token": "fixed",
        "meta-chunking": "PPL",
        "perplexity": "PPL",
        "agentic": "LLM",
    },
    PluginKind.TOKENIZER: {
        "gpt-5": "o200k_base",
        "gpt-4o": "o200k_base",
        "gpt-4": "cl100k_base",
        "gpt-3.5-turbo": "cl100k_base",
        "text-embedding-3-small": "cl100k_base",
        "text-embedding-3-large": "cl100k_base",
    },
    PluginKind.EMBEDDER: {"all-minilm-l6-v2": "minilm"},
    PluginKind.FORMAT: {"md": "markdown", "ndjson": "jsonl", "excel": "xlsx"},
}
_PATHS = {  # what may be given in place of a name
    PluginKind.TOKENIZER: "; the path of a tokenizer.json also works",
    PluginKind.EMBEDDER: "; a name on the hub, a folder and URL#MODEL also work",
}


def entries(kind: PluginKind) -> dict[str, PluginEntry]:
    """Return all entries of a kind by name: the built-in ones, then those of other packages in
    alphabetical order.
    """
    from importlib.metadata import entry_points  # takes 20 ms, which built-in names need not cost

    built_in = dict(ENTRIES[kind])
    points = sorted(entry_points(group=kind.value), key=lambda point: point.name)
    return built_in | {
        point.name: PluginEntry(point.value, _package(point.value))
        for point in points
        if point.name not in built_in
    }


def find(kind: PluginKind, name: str) -> PluginEntry:
    """Return the entry of that name. Raise UsageError if there is none."""
    entry = ENTRIES[kind].get(name) or (registered := entries(kind)).get(name)
    if entry is None:
        known_name = nearest(name, registered, OTHER_NAMES[kind])
        hint = f". Did you mean {known_name}? There" if known_name else "; there"
        raise UsageError(
            f"There is no {kind.word} named {name!r}{hint} are {', '.join(registered)}"
            f"{_PATHS.get(kind, '')}."
        )
    return entry


def load(kind: PluginKind, name: str) -> object:
    """Import and return the object of that name. Raise UsageError for an unknown name,
    MissingExtraError if a package it needs is not installed.
    """
    entry = find(kind, name)
    module, _, attribute = entry.target.partition(":")
    with extra_for(f"The {kind.word} {name!r}", "", entry.extra, module):
        target: object = getattr(import_module(module), attribute)
    return target


@contextmanager
def extra_for(what: str, package: str, extra: str, module: str = "docxchunk") -> Iterator[None]:
    """Raise MissingExtraError if an import in this context fails: `what` needs a package of this
    extra. `package` is its name on PyPI, if that is not the name of the module. If a part of
    docxchunk or of the package of `module` is missing, that is no extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("docxchunk", module.partition(".")[0]):
            raise
        raise MissingExtraError(missing_extra(what, package or missing, extra)) from error


def missing_extra(what: str, package: str, extra: str) -> str:
    """Return the error message for a missing package, with the command that installs it."""
    requirement = f'"docxchunk[{extra}]"' if extra else package
    return f"{what} needs the package {package}: pip install {requirement}"


def _package(target: str) -> str:
    return f"From the package {target.partition(':')[0].partition('.')[0]}."

"""Names of strategies, tokenizers, embedders and formats: where each is, and what it needs. Listing imports none of them.

Other packages add theirs as entry points of the groups `docxchunk.strategies`, `docxchunk.tokenizers`, `docxchunk.embedders` and `docxchunk.formats`; a name
of ours cannot be taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from typing import NamedTuple

from docxchunk.errors import MissingExtraError, UsageError


class Kind(StrEnum):
    """What a name can be of; the value is the group of entry points."""

    STRATEGY = "docxchunk.strategies"
    TOKENIZER = "docxchunk.tokenizers"
    EMBEDDER = "docxchunk.embedders"
    FORMAT = "docxchunk.formats"

    @property
    def word(self) -> str:
        return self.name.lower()


class Entry(NamedTuple):
    """`target` is "module:attribute"; `extra` is the optional dependency that it needs, as in `pip install docxchunk[extra]`."""

    target: str
    summary: str
    extra: str = ""


ENTRIES: Mapping[Kind, Mapping[str, Entry]] = {
    Kind.STRATEGY: {
        "P": Entry("docxchunk.chunking:P", "Follows the document: headings, paragraphs, table rows. The default."),
        "R": Entry("docxchunk.chunking:R", "Recursive: paragraphs, lines, sentences, words. For plain text."),
        "fixed": Entry("docxchunk.chunking.strategies.plain:Fixed", "Stretches of so many tokens, words or sentences."),
        "fixed-size": Entry("docxchunk.chunking.strategies.plain:FixedSize", "About 100 words in whole sentences: Fixed-Size of the paper of PIC."),
        "llama-index": Entry("docxchunk.chunking.strategies.packed:LlamaIndex", "Whole sentences packed to a size, as by LlamaIndex's SentenceSplitter."),
        "sentence": Entry("docxchunk.chunking.strategies.plain:Sentences", "A chunk for each sentence."),
        "paragraph": Entry("docxchunk.chunking.strategies.plain:Paragraphs", "A chunk for each paragraph, list item and table."),
        "MG": Entry("docxchunk.chunking.strategies.granular:MG", "Multi-granular: chunks of another strategy, each with children of a half and a quarter."),
        "P+MG": Entry("docxchunk.chunking.strategies.granular:PMG", "Multi-granular over P: structure to read, small chunks to find it by."),
        "V": Entry("docxchunk.chunking.strategies.semantic:V", "Semantic: cut where the meaning of neighbouring sentences jumps."),
        "semantic-20": Entry("docxchunk.chunking.strategies.semantic:Semantic20", "V at the 20th percentile of similarity: Semantic of the paper of PIC."),
        "similarity": Entry("docxchunk.chunking.strategies.semantic:Similarity", "V as LlamaIndex has it: Similarity Chunking of Meta-Chunking."),
        "PIC": Entry("docxchunk.chunking.strategies.pseudo_instruction:PIC", "Runs of sentences that are near the document's summary, or are not."),
        "RIC": Entry("docxchunk.chunking.strategies.pseudo_instruction:RIC", "PIC with the question that will be asked: --set query=TEXT."),
        "PIC-random": Entry("docxchunk.chunking.strategies.pseudo_instruction:PICRandom", "PIC with the summary of another document: a control."),
        "cluster": Entry("docxchunk.chunking.strategies.clustering:Cluster", "Sentences close in meaning and place, also apart in the text."),
        "LG": Entry("docxchunk.chunking.strategies.logits_guided:LG", "Cut where a language model would end the text."),
        "LGMGC": Entry("docxchunk.chunking.strategies.granular:LGMGC", "Multi-granular over LG."),
        "LG-doc": Entry("docxchunk.chunking.strategies.logits_guided:LGDocument", "LG in one pass over the document."),
        "PPL": Entry("docxchunk.chunking.strategies.perplexity:PPL", "Cut after sentences that surprise a language model least."),
        "MSP": Entry("docxchunk.chunking.strategies.margin_sampling:MSP", "A language model is asked at each sentence: split or keep."),
        "LumberChunker": Entry("docxchunk.chunking.strategies.lumber:LumberChunker", "Ask a language model at which paragraph the content turns."),
        "proposition": Entry("docxchunk.chunking.strategies.proposition:Proposition", "Passages, and the facts in them as a language model states them."),
        "LLM": Entry("docxchunk.chunking.strategies.direct:DirectLLM", "A language model writes separators into the text."),
    },
    Kind.TOKENIZER: {
        "o200k_base": Entry("docxchunk.backends.byte_pairs:o200k_base", "GPT-4o and later. The default."),
        "cl100k_base": Entry("docxchunk.backends.byte_pairs:cl100k_base", "GPT-4, GPT-3.5 and text-embedding-3."),
    },
    Kind.EMBEDDER: {
        "minilm": Entry("docxchunk.backends.sentence_embeddings:minilm", "all-MiniLM-L6-v2, from a package; English. The default.", "semantic"),
        "hashing": Entry("docxchunk.backends.hashing:hashing", "Words, hashed: has learnt nothing. For trials."),
    },
    Kind.FORMAT: {
        "jsonl": Entry("docxchunk.formats.jsonl:write", "One JSON object a line. The default."),
        "json": Entry("docxchunk.formats.json_array:write", "One JSON array."),
        "markdown": Entry("docxchunk.formats.markdown:write", "Markdown, for people and models."),
        "parquet": Entry("docxchunk.formats.parquet:write", "Apache Parquet, for data frames and lakes.", "parquet"),
    },
}


def entries(kind: Kind) -> dict[str, Entry]:
    """All names of a kind, ours first, then those of other packages, each group in order of name."""
    from importlib.metadata import entry_points  # 20 ms that a name of ours does not cost

    own = dict(ENTRIES[kind])
    others = sorted(entry_points(group=kind.value), key=lambda point: point.name)
    return own | {point.name: Entry(point.value, _package(point.value)) for point in others if point.name not in own}


def find(kind: Kind, name: str) -> Entry:
    """The entry of that name. Raises UsageError where there is none."""
    found = ENTRIES[kind].get(name) or (known := entries(kind)).get(name)
    if found is None:
        raise UsageError(f"There is no {kind.word} named {name!r}; there are {', '.join(known)}.")
    return found


def load(kind: Kind, name: str) -> object:
    """What the name stands for. Raises UsageError for an unknown name, MissingExtraError where its back end is not installed."""
    entry = find(kind, name)
    module, _, attribute = entry.target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("docxchunk", module.partition(".")[0]):
            raise
        raise MissingExtraError(missing_extra(f"The {kind.word} {name!r}", missing, entry.extra)) from error


def missing_extra(what: str, package: str, extra: str) -> str:
    """The sentence that says how to get it."""
    wanted = f'"docxchunk[{extra}]"' if extra else package
    return f"{what} needs the package {package}: pip install {wanted}"


def _package(target: str) -> str:
    return f"From the package {target.partition(':')[0].partition('.')[0]}."

"""The command `docxchunk search`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click
import orjson
from rich.text import Text

from docxchunk.batch.pool import Jobs
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import SECONDS_BETWEEN_LINES, progress_bar
from docxchunk.cli.printing import DIM, STRONG, prose
from docxchunk.errors import UsageError
from docxchunk.model.metadata import Rows
from docxchunk.model.rules import NO_RULES, Rules
from docxchunk.records import Record, line
from docxchunk.sidecar.atomic import new_file

if TYPE_CHECKING:
    from docxchunk.retrieval.folders.collection import Collection
    from docxchunk.retrieval.folders.hits import Hit

    _Asking = Callable[[str], list[Hit]]


def _set_up(context: click.Context, _: click.Parameter, name: str | None) -> None:
    """Set up the embedder of later searches, and end."""
    if name is None:
        return
    from docxchunk.backends.loading import NO_EMBEDDER, set_up_embedder

    set_up_embedder(name)
    Reporter().say(
        "docxchunk search and docxchunk mcp go by words alone now."
        if name == NO_EMBEDDER
        else f"docxchunk search and docxchunk mcp use {name} now; --setup none ends this."
    )
    context.exit()


EXAMPLES = """\b
Examples:
  docxchunk search contracts "notice of termination"
  docxchunk search contracts "liability cap" --where client=Acme
  docxchunk search report.docx "rain in October" --json | jq -r .citation
  docxchunk search --setup BAAI/bge-small-en-v1.5
  docxchunk search out --questions questions.jsonl --out hits.jsonl

The lines of --questions are {"id": ..., "question": ...}. Extras: search; a model also needs
embed, semantic (with PyTorch) or api (URL#MODEL)."""


@common.command(
    epilog=EXAMPLES,
    most_used="--limit --per-document --where --metadata --embedder --setup --json --out --quiet",
)
@click.argument("arguments", nargs=-1, required=True, metavar="PATH... QUESTION")
@click.option(
    "--questions",
    type=common.GivenPath(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Questions as JSON lines, in place of QUESTION.",
)
@common.number("--limit", 10, "Maximum number of places.")
@common.number(
    "--per-document",
    None,
    "Maximum number of places of each document. By default, three of each come first, then others.",
)
@click.option(
    "--embedder",
    metavar="MODEL",
    help="Rank by words and by an embedding model: a name on the Hugging Face hub, a folder or "
    "URL#MODEL. none: by words alone.  [default: DOCXCHUNK_EMBEDDER, or that of --setup]",
)
@click.option(
    "--setup",
    metavar="MODEL",
    is_eager=True,
    expose_value=False,
    callback=_set_up,
    help="Choose the embedding model of later searches and of docxchunk mcp, and end. none: by "
    "words alone.",
)
@click.option(
    "--scorer",
    default="",
    metavar="MODEL",
    help="Rank the best places again by how likely a language model finds the question after each.",
)
@common.as_json
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write JSON lines into FILE.",
)
@common.where
@common.metadata
@common.rules
@common.flag("--no-index-cache", help="Do not keep the index for the next search.")
@common.jobs("auto")
@common.quiet
def command(
    *,
    arguments: tuple[str, ...],
    questions: Path | None,
    limit: int,
    per_document: int | None,
    embedder: str | None,
    scorer: str,
    as_json: bool,
    out: Path | None,
    where: dict[str, str],
    metadata: Rows | None,
    rules: Rules,
    no_index_cache: bool,
    jobs: Jobs,
    quiet: bool,
) -> None:
    """Find the places of documents that fit a question best, by its words (BM25).

    PATH is a Word file, a parsed folder, plain text, Markdown, or a folder, with those below it. A
    place is some sentences or a row of a table, printed with its citation. The index is kept in the
    cache folder of the user, and documents that have changed are read again.
    """
    paths = arguments if questions else arguments[:-1]
    if not paths:
        raise UsageError("There is no question: give it after the paths.")
    reporter = Reporter(quiet=quiet)
    chosen = common.embedder_of_search(embedder, reporter)
    collection = collection_at(
        paths,
        reporter,
        jobs,
        chosen,
        scorer,
        rules=rules,
        metadata=metadata,
        cache=not no_index_cache,
    )
    search = partial(collection.search, limit=limit, per_document=per_document, where=where)
    remarks = partial(collection.remarks, where=where)
    asked = list(_questions(questions)) if questions else [("", arguments[-1])]
    if as_json or out or questions:
        data = b"".join(_lines(collection, asked, search, remarks))
        is_answered = bool(data or questions)
        if out:
            with new_file(out) as file:
                file.write(data)
            reporter.data(str(out))
        else:
            sys.stdout.buffer.write(data)
    else:
        is_answered = _show(arguments[-1], search, remarks)
    if is_answered and not questions:
        reporter.say(collection.advice(arguments[-1]))
    for label, sentence in collection.failures:
        reporter.fail(label, sentence)
    if not is_answered:
        Reporter().say(collection.nothing())
        sys.exit(1)
    reporter.end()


def collection_at(
    paths: Sequence[str],
    reporter: Reporter,
    jobs: Jobs = "auto",
    embedder: str = "",
    scorer: str = "",
    *,
    rules: Rules = NO_RULES,
    metadata: Rows | None = None,
    cache: bool = True,
) -> Collection:
    """Return the documents at some paths, read and indexed. Progress and notes are reported."""
    from docxchunk.retrieval.folders.collection import Collection

    notes: set[str] = set()  # the same one for each question
    with _progress(reporter) as progress:
        collection = Collection.at(
            common.with_standard_input(paths),
            cache=cache and common.STANDARD_INPUT not in paths,
            jobs=jobs,
            embedder=embedder,
            scorer=scorer,
            rules=rules,
            metadata=metadata,
            progress=progress,
            tell=notes.add,
        )
        collection.settle()
    for note in sorted(notes):
        reporter.say(note)
    return collection


@contextmanager
def _progress(reporter: Reporter) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows how much is done: a bar on a terminal, else a line every ten
    seconds.
    """
    told = monotonic()

    def tell(step: str, done: int, total: int) -> None:
        nonlocal told
        if monotonic() - told >= SECONDS_BETWEEN_LINES:
            told = monotonic()
            reporter.say(f"{done:,} of {total:,} {step}")

    if reporter.quiet or not sys.stderr.isatty():
        yield tell
        return
    with progress_bar() as bar:
        task = bar.add_task("", visible=False)

        def show(_: str, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=True, refresh=True)

        yield show


def _questions(path: Path) -> Iterator[tuple[str, str]]:
    for number, text in enumerate(path.read_bytes().splitlines(), 1):
        if not text.strip():
            continue
        try:
            record = orjson.loads(text)
            yield str(record.get("id", number)), str(record["question"])
        except (ValueError, KeyError, AttributeError):
            raise UsageError(
                f'{path.name}, line {number}: it must be JSON with a "question".'
            ) from None


def _lines(
    collection: Collection, questions: list[tuple[str, str]], search: _Asking, remarks: _Asking
) -> Iterator[bytes]:
    for identifier, question in questions:
        hits = search(question)
        if not identifier:
            hits += remarks(question)
        missing = collection.missing_words(question)
        for rank, hit in enumerate(hits, 1):
            yield line({**hit_record(hit, rank, identifier), "missing_words": missing})


def hit_record(hit: Hit, rank: int, question_id: str) -> Record:
    from docxchunk.records.chunks import UNIT

    first: Record = {"question_id": question_id} if question_id else {}
    return {
        **first,
        "rank": rank,
        "score": round(hit.score, 4),
        "document": hit.document,
        "words": hit.words,
        "lead_in": hit.lead_in,
        "same": hit.same,
        **UNIT.record(hit.unit),
    }


def _show(question: str, search: _Asking, remarks: _Asking) -> bool:
    """Print the places that fit a question, then comments and deleted texts. Return whether there
    are some.
    """
    from docxchunk.retrieval.answers import ONLY_NEAR

    hits = [*search(question), *remarks(question)]
    if hits and not any(hit.words for hit in hits):
        prose(Text(ONLY_NEAR, DIM))
    for rank, hit in enumerate(hits, 1):
        prose(Text(f"{rank}  {hit.unit.citation}", style=STRONG))
        text = Text(hit.text)
        for at in hit.words_in(text.plain):
            text.stylize("bold yellow", at.start, at.end)
        prose(text)
        prose(Text(f"{hit.note}\n" if hit.note else "", DIM))
    return bool(hits)

"""The commands that read documents in parts: outline, read, find, define, references, cite. Tracked
changes and comments are printed for the commands show and diff.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter, print_json
from docxchunk.errors import InputError, NotWordError, UsageError, about
from docxchunk.model.rules import NO_RULES, Rules
from docxchunk.retrieval import LEAST_TOKENS, MOST_TOKENS, OUTLINE_TOKENS, READ_TOKENS
from docxchunk.sidecar.names import has_documents, is_parsed

if TYPE_CHECKING:
    from docxchunk.batch.inputs import Input
    from docxchunk.retrieval.answers import Answer, Asked, Listed, View
    from docxchunk.retrieval.finding.phrases import Match
    from docxchunk.retrieval.reading import Reader


def document_at(path: str) -> Input:
    """Return the only document at a path. Raise UsageError if there are several."""
    from docxchunk.retrieval.folders.library import inputs_at

    inputs = inputs_at(common.with_standard_input([path]))
    if len(inputs) != 1:
        raise common.one_of(path, [item.source for item in inputs])
    return inputs[0]


def reader_at(path: str, rules: Rules = NO_RULES) -> Reader:
    """Return a `Reader` of the document at a path. Lines that fit `rules` are headings."""
    return _reader_of(document_at(path), rules)


def readers_at(paths: Sequence[str], rules: Rules = NO_RULES) -> Iterator[Reader]:
    """Yield the readers of the documents at and below some paths. Tell which cannot be read."""
    from docxchunk.retrieval.folders.library import inputs_at

    for item in inputs_at(paths, Reporter().say):
        try:
            yield _reader_of(item, rules)
        except InputError as error:
            Reporter().alert(item.label, str(error))


def _reader_of(item: Input, rules: Rules) -> Reader:
    from docxchunk.batch.jobs import reading_with
    from docxchunk.retrieval.folders.library import reader_of

    with about(item.label):
        return reader_of(item, partial(Reporter().warn, item.label), reading_with(rules))


# the note of an answer that is not whole, and its arguments as options
_NOTE: Final = re.compile(r"(?m)^(\((?:[\d,]+ more|not shown: ).*)(start=|max_tokens)(\d*)\)$")
_NO_STYLES: Final[Mapping[str, str]] = {}
_TYPED: Final = {"start=": "--start ", "max_tokens": "--max-tokens"}
_start = common.number("--start", 0, "Where to go on: see the end of the previous answer.", 0)


def _answer(command: Callable[..., Answer]) -> Callable[..., None]:
    """Let a command print its answer, or the objects of the answer as JSON lines. Without a match,
    the exit code is 1.
    """

    @common.as_json
    @wraps(command)
    def run(*, as_json: bool, **arguments: object) -> None:
        _print_answer(command(**arguments), as_json=as_json)

    return run


def _print_answer(answer: Answer, *, as_json: bool) -> None:
    if as_json:
        for record in answer.objects:
            print_json(record)
    elif answer.has_places:
        _print(_NOTE.sub(lambda at: f"{at[1]}{_TYPED[at[2]]}{at[3]})", answer.text))
    if not answer.has_places:
        Reporter().say(answer.text)
    if not answer.is_match:
        sys.exit(1)


def _print(text: str, styles: Mapping[str, str] = _NO_STYLES) -> None:
    """Print an answer: on a terminal, wrapped and with the styles of some patterns; else each line
    as it is.
    """
    if not sys.stdout.isatty():
        print(text.expandtabs())  # noqa: T201 - rich takes a fifth of the time of an answer
        return
    from rich.text import Text

    from docxchunk.cli.printing import prose

    styled = Text(text)
    for pattern, style in styles.items():
        styled.highlight_regex(pattern, style)
    prose(styled)


def _documents(command: Callable[..., Answer]) -> Callable[..., None]:
    """Turn a function of one or several documents into a command that takes paths and prints the
    answer.
    """

    @_answer
    @common.paths
    @common.rules
    @wraps(command)
    def run(paths: tuple[str, ...], rules: Rules, **arguments: object) -> Answer:
        return command(_asked(paths, rules), **arguments)

    return run


def _asked(paths: Sequence[str], rules: Rules) -> Asked:
    """Return the document at a path; for a folder or several paths, all documents there."""
    if len(paths) == 1 and not has_documents(paths[0]):
        return reader_at(paths[0], rules)
    from docxchunk.cli.search import collection_at

    return collection_at(paths, Reporter(), rules=rules)


@common.command(
    epilog="""\b
Examples:
  docxchunk outline contracts
  docxchunk outline contract.docx 8 --depth 2
  docxchunk outline contract.docx --rules > house.toml"""
)
@_answer
@click.argument("path", metavar="PATH")
@click.argument("section", default="")
@common.depth
@common.number(
    "--max-tokens", OUTLINE_TOKENS, "Maximum tokens of the answer.", LEAST_TOKENS, MOST_TOKENS
)
@_start
@common.flag(
    "--rules",
    is_eager=True,
    help="Print which lines are headings, as rules: edit them, and give them as --rules FILE to "
    "other commands.",
)
def outline(
    *, path: str, section: str, depth: int, max_tokens: int, start: int, rules: bool
) -> Answer:
    """Print a line for each section of a document, or of a SECTION; for a folder, for each
    document.

    After a title come its page, its tokens (200 or more) and the number of subsections that are not
    printed. #12 is the name of a section for docxchunk read, if its title is not unique.
    """
    from docxchunk.retrieval import answers

    if rules and section:
        raise UsageError(
            f"outline --rules prints the rules of a whole document, without {section!r}. To apply "
            f"the rules in a file, use docxchunk show {path} --rules FILE."
        )
    if rules:
        _print_rules(path)
    if not section and has_documents(path):
        return answers.documents(readers_at([path]))
    return answers.outline(reader_at(path), section, depth, start, max_tokens)


def _print_rules(path: str) -> NoReturn:
    """Print the rules that describe how the headings of a Word file are read, and end."""
    from docxchunk.api import heading_rules

    item = document_at(path)
    if is_parsed(item.source):
        raise NotWordError(f"{path} is a parsed folder; give the Word file.", "parsed")
    sys.stdout.buffer.write(heading_rules(item.source).encode())
    click.get_current_context().exit()


@common.command(
    epilog="""\b
Examples:
  docxchunk read contract.docx "8.2(a)"
  docxchunk read contract.docx "Limitation of liability" --max-tokens 500
  docxchunk read contract.docx "Annex B" --view tables"""
)
@_answer
@click.argument("path", metavar="PATH")
@click.argument("section")
@common.number(
    "--max-tokens", READ_TOKENS, "Maximum tokens of the answer.", LEAST_TOKENS, MOST_TOKENS
)
@_start
@click.option(
    "--view",
    default="text",
    type=click.Choice(["text", "section", "parent", "tables"]),
    help="The section (text), as much as fits of the section around it (section) or above that "
    "(parent), or its tables.",
)
@common.rules
def read(
    *, path: str, section: str, max_tokens: int, start: int, view: View, rules: Rules
) -> Answer:
    """Read a section or clause of a document, with what is below it.

    SECTION is a number, such as 8.2, 8.2(a), "Section 8.2 a" or "Annex B", a heading, the first
    cell of a row, or a citation. docxchunk outline prints the sections.
    """
    from docxchunk.retrieval import answers

    return answers.read(reader_at(path, rules), section, max_tokens, start, view)


@common.command(
    epilog="""\b
Examples:
  docxchunk find contract.docx "third party"
  docxchunk find contracts "terminat.*|cancel" --match regex"""
)
@_documents
@click.argument("phrase")
@click.option(
    "--match",
    default="words",
    type=click.Choice(["words", "parts", "regex"]),
    help="What PHRASE is: whole words, parts of words (cure in procure), or a regular expression.",
)
@common.number("--limit", 20, "Maximum number of places; for several documents, of each in --json.")
@_start
def find(asked: Asked, phrase: str, *, match: Match, limit: int, start: int) -> Answer:
    """Print how often a phrase occurs in a document, and where; for several documents or a folder,
    a line for each document that has it.

    Case, accents, soft hyphens and the kind of quotation marks and dashes do not matter. If a
    document has the phrase only as a part of other words, these places are printed. The exit code
    is 1 if there are none.
    """
    from docxchunk.retrieval import answers

    return answers.find(asked, phrase, match, limit=limit, start=start)


@common.command(
    epilog="""\b
Examples:
  docxchunk define contract.docx Affiliate"""
)
@_documents
@click.argument("term")
def define(asked: Asked, term: str) -> Answer:
    """Print where a term is defined: "X" means ..., (the "X"), or a row of a cover table; for
    several documents or a folder, a line for each document that defines it. If no definition is
    recognized, the exit code is 1, and the first place of the term is printed.
    """
    from docxchunk.retrieval import answers

    return answers.define(asked, term)


@common.command(
    epilog="""\b
Examples:
  docxchunk references contract.docx 8.2"""
)
@_documents
@click.argument("section")
@common.number("--limit", 20, "Maximum number of places; --json has all of a document.")
@_start
def references(asked: Asked, section: str, *, limit: int, start: int) -> Answer:
    """Print what a section or clause refers to, and what refers to it; for several documents or a
    folder, a line for each document with such references.

    SECTION is as for docxchunk read.
    """
    from docxchunk.retrieval import answers

    return answers.references(asked, section, limit=limit, start=start)


@common.command(
    epilog="""\b
Examples:
  docxchunk cite contract.docx "within thirty days of the invoice"
  docxchunk cite contract.docx "within thirty days" --elsewhere contracts
  docxchunk cite contracts --memo memo.docx --html checked.html"""
)
@common.as_json
@click.argument("paths", nargs=-1, metavar="PATH... [QUOTE]")
@click.option(
    "--elsewhere",
    multiple=True,
    metavar="PATH",
    help="Where to look if PATH does not have the quotation. Can be repeated.",
)
@click.option(
    "--memo",
    metavar="FILE",
    help="Check all quotations of this Word or text file, or of standard input (-).",
)
@click.option(
    "--html",
    "page",
    type=common.NewFile(path_type=Path),
    metavar="FILE",
    help="Write an HTML page: the memo with its quotations marked. Extra: report.",
)
@common.rules
def cite(
    *,
    paths: tuple[str, ...],
    elsewhere: tuple[str, ...],
    memo: str | None,
    page: Path | None,
    rules: Rules,
    as_json: bool,
) -> None:
    """Check a quotation, and print the result: found word for word (with all places), abridged by
    an ellipsis, found elsewhere, stitched from several places, altered (with the difference), or
    not found; for several documents or a folder, a line for each document that has it. The exit
    code is 1 if not all words are found, they are not at the place cited, or an ellipsis leaves out
    a word such as "not".

    Case, accents, punctuation and white space do not matter. A citation in brackets before or after
    the quotation, or a label such as "clause 4.2:", is checked, too: the quotation may have moved.

    With --memo, check every text in quotation marks and every block quotation of a memo in the
    documents at PATH, each with the citation beside it ("Clause 8.1(a) of the CSA", a footnote).
    The exit code is 1 if one is not right.
    """
    if memo is not None:
        if not paths:
            raise UsageError("There is no document: give a path, and the memo with --memo.")
        from docxchunk.cli.memo import check

        check(memo, _asked(paths, rules), page, as_json=as_json)
        return
    from docxchunk.retrieval import answers

    *documents, quote = paths or ("",)
    if not documents:
        raise UsageError(
            "There is no quotation: give a path, then the quotation, or a memo with --memo."
        )
    if page is not None:
        raise UsageError("--html is for a memo: give --memo, too.")
    answer = answers.cite(_asked(documents, rules), quote, readers_at(elsewhere, rules))
    _print_answer(answer, as_json=as_json)


# -- tracked changes and comments

# places, deleted and inserted words
_STYLES: Final = {r"(?m)^\[.*\]$": "bold", r"\[-.*?-\]": "red", r"\{\+.*?\+\}": "green"}


def print_revisions(
    readers: Iterable[Reader], lists: Sequence[Listed], *, is_folder: bool, as_json: bool
) -> int:
    """Print the tracked changes or comments of a document; for a folder, a line for each document
    that has some. As JSON, print a line for each change and comment. Return how many there are.
    """
    from docxchunk.retrieval import answers

    if as_json:
        return sum(_print_records(reader, kind) for reader in readers for kind in lists)
    number = 0
    all_readers = list(readers)
    for kind in lists:
        answer = (
            answers.documents_with(all_readers, kind)
            if is_folder
            else answers.revisions(all_readers[0], kind)
        )
        number += len(answer.objects)
        if answer.has_places:
            _print(answer.text, _STYLES)
        else:
            Reporter().say(answer.text)
    return number


def _print_records(reader: Reader, kind: Listed) -> int:
    from docxchunk.retrieval.answers import unlisted

    items = reader.changes() if kind == "changes" else reader.comments()
    if not items and (why := unlisted(reader.document)):
        Reporter().warn(reader.document.name, why)
    for item in items:
        record = {"document": reader.document.name, "type": kind.removesuffix("s"), **asdict(item)}
        print_json(record)
    return len(items)

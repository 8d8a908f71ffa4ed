"""Measure how often headings are found that no author marked, and fit the weights of their signals.

    python -m benchmarks.headings measure CORPUS... --outlines OUTLINES.jsonl > headings.csv
    python -m benchmarks.headings fit CORPUS...

A corpus is a folder of Word files. Its MANIFEST.jsonl, if there is one, has a record for each file:
`name`, `repo` (whose files are in one fold), `lang`, `kind`. Copies of each document with at least
five marked headings are measured, in which these marks are hidden (`COPIES`). All paragraphs of a
copy lose their styles, so that a style does not tell headings from text.

A file of outlines has a record for each file: `name`, `lang`, `kind`, and `headings` in order, each
with its `text`, and `level` 0 (the title) or `doubt` if it does not count. These files are measured
as they are.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple

import click
import numpy as np

from docxchunk.errors import DocxchunkError
from docxchunk.language.numbers import number_of_paragraph
from docxchunk.model.options import Headings, ParseOptions
from docxchunk.ooxml.formatting import Look
from docxchunk.ooxml.styles import BODY
from docxchunk.reader.document import _open_and_read
from docxchunk.reader.headings import ENOUGH, infer_headings, signals
from docxchunk.reader.headings.lines import LONGEST_HEADING, body_of, prominent_lines
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_LEAST: Final = 5  # marked headings of a document
_LEAST_OF_GROUP: Final = 3  # documents of a language or kind
_FOLDS: Final = 6
_PRIOR: Final = 0.5  # standard deviation of a weight around today's
_COLUMNS: Final = "copy group value documents headings precision recall f1 parent".split()


class Document(NamedTuple):
    name: str
    repo: str
    lang: str
    kind: str
    items: Sequence[Item]


class Score(NamedTuple):
    document: Document
    there: int
    found: int
    right: int
    placed: int  # of the right ones, those with the right parent
    missing: Counter[str]  # by kind of fault
    wrong: Counter[str]


# --- Documents and their copies


def documents(corpora: Iterable[Path]) -> Iterator[Document]:
    """Yield the documents of the corpora that can be read. A name that occurs again is left out."""
    seen: set[str] = set()
    for corpus in corpora:
        known = {each.get("name", ""): each for each in records(corpus / "MANIFEST.jsonl")}
        for path in sorted(corpus.glob("*.docx")):
            about = known.get(path.name, {})
            repo = about.get("repo") or "__".join(path.name.split("__")[:2])
            if path.name in seen:
                continue
            seen.add(path.name)
            try:
                _, stories = _open_and_read(path.read_bytes(), ParseOptions())
            except DocxchunkError:
                continue
            yield Document(
                path.name, repo, about.get("lang", ""), about.get("kind", ""), stories.body
            )


def records(path: Path) -> list[dict[str, str]]:
    """Return the records of a JSON Lines file; none if there is no file."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines if line.strip()]


def marked_in(items: Iterable[Item]) -> dict[int, int]:
    """Return the levels of the marked headings by their positions."""
    return {
        item.position: item.outline.level
        for item in items
        if isinstance(item, Paragraph)
        and item.outline.level
        and not (item.is_toc or item.is_blank)
        and len(item.raw) <= LONGEST_HEADING
    }


Hide = Callable[[Paragraph], Paragraph]


def _without_mark(item: Paragraph) -> Paragraph:
    return item._replace(outline=BODY)


def _bold(item: Paragraph) -> Paragraph:
    return _without_mark(item)._replace(look=item.look and Look(bold=True, font=item.look.font))


def _typed(item: Paragraph) -> Paragraph:
    label = f"{item.label.strip()} " if item.label else ""
    return _without_mark(item)._replace(raw=label + item.raw, label="", depth=-1, stretches=())


COPIES: Final[Mapping[str, Hide]] = {
    "look": _without_mark,
    "bold": _bold,
    "part": _without_mark,  # of the deepest level alone
    "typed numbers": _typed,
}


def copy_of(items: Sequence[Item], kind: str) -> list[Item]:
    """Return the items without the marks of their headings, and without styles."""
    deepest = max(marked_in(items).values(), default=0) if kind == "part" else 0
    return [
        _plain(COPIES[kind](item) if item.outline.level else item)
        if isinstance(item, Paragraph) and not 0 < item.outline.level < deepest
        else item
        for item in items
    ]


def _plain(item: Paragraph) -> Paragraph:
    return item._replace(style=item.style._replace(id="", name="", is_title=False))


# --- Scores


def score_of_copy(document: Document, kind: str) -> Score | None:
    """Return how well the hidden headings are found; None if the document has too few."""
    truth = marked_in(document.items)
    if len(truth) < _LEAST or (kind == "part" and len(set(truth.values())) < 2):
        return None
    copy = copy_of(document.items, kind)
    found = marked_in(infer_headings(copy, Headings.AUTO, lambda *_: None))
    considered = {line.item.position: line for line in prominent_lines(copy, body_of(copy))}
    numbered = {at for at, line in considered.items() if line.number}
    first = min(truth)
    right = truth.keys() & found.keys()
    parents, own = _parents(truth), _parents(found)
    return Score(
        document,
        len(truth),
        len(found),
        len(right),
        sum(parents[at] == own[at] for at in right),
        Counter("judged" if at in considered else "no line" for at in truth.keys() - right),
        Counter(
            "numbered" if at in numbered else "before the first heading" if at < first else "other"
            for at in found.keys() - right
        ),
    )


def _parents(levels: Mapping[int, int]) -> dict[int, int | None]:
    """Return the place of the heading above each heading; None for those of the highest level."""
    result: dict[int, int | None] = {}
    above: list[int] = []
    for at, level in levels.items():
        while above and levels[above[-1]] >= level:
            above.pop()
        result[at] = above[-1] if above else None
        above.append(at)
    return result


def score_of_outline(document: Document, headings: Sequence[Mapping[str, object]]) -> Score:
    """Return how well the headings of an outline that was written by hand are found."""
    found = [
        (item.outline.level, _words(item.raw) or _words(item.label))
        for item in infer_headings(document.items, Headings.AUTO, lambda *_: None)
        if isinstance(item, Paragraph) and item.outline.level and not item.is_toc
    ]
    wanted = [_words(f"{each['text']}") for each in headings]
    matcher = SequenceMatcher(None, wanted, [text for _, text in found], autojunk=False)
    pairs = {a + k: b + k for a, b, size in matcher.get_matching_blocks() for k in range(size)}
    firm = {at: each["level"] for at, each in enumerate(headings) if not each.get("doubt")}
    levels = {at: int(f"{level}") for at, level in firm.items() if level}
    parents, own = _parents(levels), _parents({at: level for at, (level, _) in enumerate(found)})
    right = levels.keys() & pairs.keys()
    placed = 0
    for at in right:
        above = parents[at]
        placed += own[pairs[at]] == (None if above is None else pairs.get(above))
    wrong = len(found) - len(pairs)
    missing = Counter(f"{headings[at].get('kind', '')}" for at in levels.keys() - right)
    return Score(
        document, len(levels), len(right) + wrong, len(right), placed, missing, Counter(other=wrong)
    )


def _words(text: str) -> str:
    """Return the letters and digits of a heading, without its number unless it is all there is."""
    number = number_of_paragraph(text.strip(), "")
    title = text.strip()[number.length :] if number else text
    letters = "".join(filter(str.isalnum, title.casefold()))
    return letters or "".join(filter(str.isalnum, text.casefold()))


def rows_of(copy: str, scores: Sequence[Score]) -> Iterator[dict[str, str | int]]:
    """Yield the figures of all documents, by language, by kind of document and by kind of fault."""
    groups: dict[tuple[str, str], list[Score]] = defaultdict(list)
    for each in scores:
        for key in ("all", ""), ("language", each.document.lang), ("kind", each.document.kind):
            groups[key].append(each)
    for (group, value), own in sorted(groups.items()):
        judged = [each for each in own if each.there or each.found]
        if not judged or (value and len(own) < _LEAST_OF_GROUP):
            continue
        figures = {
            "precision": [each.right / each.found if each.found else 1 for each in judged],
            "recall": [each.right / each.there if each.there else 1 for each in judged],
            "f1": [2 * each.right / (each.there + each.found) for each in judged],
            "parent": [each.placed / each.right for each in judged if each.right],
        }
        row: dict[str, str | int] = {"copy": copy, "group": group, "value": value}
        row |= {"documents": len(own), "headings": sum(each.there for each in own)}
        yield row | {name: f"{mean(values or [0]):.3f}" for name, values in figures.items()}
    for fault in ("missing", "wrong"):
        counts: Counter[str] = sum((getattr(each, fault) for each in scores), Counter())
        for value, count in sorted(counts.items()):
            yield {"copy": copy, "group": fault, "value": value, "headings": count}


# --- Weights


Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


class Lines(NamedTuple):
    """The signals of the lines of a copy, each the mean over its class."""

    repo: str
    values: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    are_headings: Vector


def lines_of(document: Document, kind: str) -> Lines | None:
    truth = marked_in(document.items)
    copy = copy_of(document.items, kind)
    body = body_of(copy)
    lines = list(prominent_lines(copy, body))
    if len(truth) < _LEAST or not lines:
        return None
    classes = [signals.line_class(line) for line in lines]
    own = signals.signals_of(copy, lines, classes, body)
    values = np.array([[1.0, *(each.get(name, 0) for name in signals.SIGNALS)] for each in own])
    members = defaultdict(list)
    for at, each in enumerate(classes):
        members[each].append(at)
    for places in members.values():
        values[places] = values[places].mean(axis=0)
    marks = np.array([float(line.item.position in truth) for line in lines])
    return Lines(document.repo, values, marks)


def fitted(data: Sequence[Lines], today: Vector, prior: float = _PRIOR) -> Vector:
    """Return the bias and the weights that fit the lines, with a Gaussian prior around today's. A
    document counts as the root of the number of its lines.
    """
    values = np.concatenate([each.values for each in data]) * signals.SLOPE
    marks = np.concatenate([each.are_headings for each in data])
    counts = np.concatenate([[len(each.values) ** -0.5] * len(each.values) for each in data])
    weights = today.copy()
    for _ in range(20):  # Newton's method
        odds = 1 / (1 + np.exp(-values @ weights))
        gradient = values.T @ (counts * (odds - marks)) + (weights - today) / prior**2
        curvature = (values.T * (counts * odds * (1 - odds))) @ values
        weights = weights - np.linalg.solve(curvature + np.eye(len(today)) / prior**2, gradient)
    return weights


def f1_of(data: Sequence[Lines], weights: Vector) -> float:
    """Return the mean F1 of documents, of the lines that are considered."""
    result = []
    for each in data:
        found = 1 / (1 + np.exp(-signals.SLOPE * (each.values @ weights))) >= ENOUGH
        both = found.sum() + each.are_headings.sum()
        result.append(2 * (found * each.are_headings).sum() / both if both else 1.0)
    return float(mean(result))


# --- Commands


@click.group()
def command() -> None:
    """Headings that no author marked."""


_CORPORA = click.argument(
    "corpora", nargs=-1, required=True, type=click.Path(file_okay=False, path_type=Path)
)


@command.command()
@_CORPORA
@click.option("--outlines", multiple=True, type=click.Path(exists=True, path_type=Path))
def measure(corpora: Sequence[Path], outlines: Sequence[Path]) -> None:
    """Write the figures of copies, and of outlines written by hand, as CSV."""
    by_hand = {each["name"]: each for path in outlines for each in records(path)}
    scores: dict[str, list[Score]] = defaultdict(list)
    for document in documents(corpora):
        if about := by_hand.get(document.name):
            named = document._replace(lang=about["lang"], kind=about["kind"])
            headings: Sequence[Mapping[str, object]] = about["headings"]  # type: ignore[assignment]
            scores["outline"].append(score_of_outline(named, headings))
            continue
        for kind in COPIES:
            if score := score_of_copy(document, kind):
                scores[kind].append(score)
    writer = csv.DictWriter(sys.stdout, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for kind, own in scores.items():
        writer.writerows(rows_of(kind, own))


@command.command()
@_CORPORA
def fit(corpora: Sequence[Path]) -> None:
    """Print today's weights and those that fit, and the F1 of both on repositories that were not
    used to fit.
    """
    data = [
        lines
        for document in documents(corpora)
        for kind in ("look", "bold", "typed numbers")
        if (lines := lines_of(document, kind))
    ]
    today = np.array([signals.BIAS, *(weight for weight, _ in signals.SIGNALS.values())])
    repos = sorted({each.repo for each in data})
    fold_of = {repo: at % _FOLDS for at, repo in enumerate(repos)}
    pairs = []
    for fold in range(_FOLDS):
        unseen = [each for each in data if fold_of[each.repo] == fold]
        seen = [each for each in data if fold_of[each.repo] != fold]
        if unseen and seen:
            pairs.append((f1_of(unseen, today), f1_of(unseen, fitted(seen, today))))
    for name, old, new in zip(("bias", *signals.SIGNALS), today, fitted(data, today), strict=True):
        click.echo(f"{name:16}{old:7.2f}{new:7.2f}")
    for name, values in zip(("today", "fitted"), zip(*pairs, strict=True), strict=True):
        click.echo(f"F1 {name}: {mean(values):.3f}")


if __name__ == "__main__":
    command()

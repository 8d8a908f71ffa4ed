"""Load articles, converted to Word files with headings: the Wikipedia articles of
chunking_evaluation, and the scientific papers of Qasper.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.datasets.files import (
    DatasetRecord,
    HeadingText,
    ParagraphText,
    WordItem,
    clean,
    document_of,
    in_files,
    read_bytes,
    read_json,
    record,
    records,
    texts,
    unique,
)
from benchmarks.datasets.texts import KEY, asked_on, corpora
from docxchunk.errors import InputError
from docxchunk.lab.evaluation.passages import CorpusSpan, sources
from docxchunk.lab.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

# -- the Wikipedia articles of chunking_evaluation

_CORPUS: Final = "wikitexts"
_DEEPEST: Final = 9  # deepest heading level of Word
_HEADING: Final = re.compile(rf"^ *{KEY}(=(?: =)*) ([^=]+) \1 *$")


class ArticleLine(NamedTuple):
    """A heading or paragraph, with the offset of its text in the file."""

    item: HeadingText | ParagraphText
    start: int
    text: str


def load_wikitexts(path: Path, options: ParseOptions) -> Benchmark:
    """Load `wikitexts.md` and `questions_df.csv` of a folder or of the repository. An article
    becomes a document, a line in "=" a heading.

    Gold is the excerpt in the text of the parsed Word file. A question is left out if an excerpt is
    not found verbatim.
    """
    text = read_bytes(in_files(corpora(path), f"{_CORPUS}.md")[0]).decode("utf-8")
    articles = [*_articles([*_lines(text)])]
    if not articles:
        raise InputError(f"{_CORPUS}.md contains no article: no line of the form '= Title ='.")
    names = unique(f"{clean(article[0].text)}.docx" for article in articles)
    documents = [
        document_of(name, clean(article[0].text), (line.item for line in article), options)
        for name, article in zip(names, articles, strict=True)
    ]
    placed = [
        _placed(article, sources([document])[0].text)
        for article, document in zip(articles, documents, strict=True)
    ]
    starts = [article[0].start for article in articles]
    asked: list[UnplacedQuestion] = []
    for question, spans in asked_on(path, _CORPUS):
        number = max(bisect_right(starts, min((start for start, _ in spans), default=0)) - 1, 0)
        gold = [placed[number].place(span) for span in spans]
        asked.append(
            UnplacedQuestion(
                question, names[number], tuple(span for span in gold if span) if all(gold) else ()
            )
        )
    return benchmark(_CORPUS, documents, asked)


def _lines(text: str) -> Iterator[ArticleLine]:
    start = 0
    for line in text.splitlines(keepends=True):
        heading = _HEADING.match(line.rstrip())
        if heading:
            yield ArticleLine(
                HeadingText(min(heading[1].count("="), _DEEPEST), heading[2]),
                start + heading.start(2),
                heading[2],
            )
        elif line.strip():
            yield ArticleLine(ParagraphText(line), start, line)
        start += len(line)


def _articles(lines: Sequence[ArticleLine]) -> Iterator[Sequence[ArticleLine]]:
    """Split the lines at headings of level 1."""
    starts = [
        i
        for i, line in enumerate(lines)
        if isinstance(line.item, HeadingText) and line.item.level == 1
    ]
    for first, last in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[first:last]


class _LocatedArticle(NamedTuple):
    """An article, with the offset of each line in the text of its Word file; -1 if not found."""

    lines: Sequence[ArticleLine]
    places: Sequence[int]
    text: str

    def place(self, span: CorpusSpan) -> CorpusSpan | None:
        """Return the span in the document of a range of the file; None if it is not found."""
        found: list[CorpusSpan] = []
        for line, place in zip(self.lines, self.places, strict=True):
            first, last = (min(max(at - line.start, 0), len(line.text)) for at in span)
            part = clean(line.text[first:last])
            if not part:
                continue
            start = (
                self.text.find(
                    part, place + len(clean(line.text[:first])), place + len(clean(line.text))
                )
                if place >= 0
                else -1
            )
            if start < 0:
                return None
            found.append((start, start + len(part)))
        return (found[0][0], found[-1][1]) if found else None


def _placed(article: Sequence[ArticleLine], text: str) -> _LocatedArticle:
    places: list[int] = []
    after = 0
    for line in article:
        part = clean(line.text)
        places.append(text.find(part, after))
        after = max(places[-1] + len(part), after)
    return _LocatedArticle(article, places, text)


# -- Qasper: scientific papers, and questions with the paragraphs that answer them

_BETWEEN: Final = " ::: "  # separator of section and subsection names
# evidence in a figure or table, of which the set has only the caption
_FLOAT: Final = "FLOAT SELECTED"


def load_qasper(path: Path, options: ParseOptions) -> Benchmark:
    """Load the papers of a `qasper-*.json` file, or of all in a folder.

    Gold is the evidence of the first answer with evidence in the text. Questions without any are
    left out.
    """
    documents: list[Document] = []
    asked: list[UnplacedQuestion] = []
    for file in in_files(path, "qasper-*.json"):
        for name, paper in record(read_json(file)).items():
            found = record(paper)
            documents.append(
                document_of(f"{name}.docx", clean(str(found["title"])), _items(found), options)
            )
            asked += [_asked(question, f"{name}.docx") for question in records(found["qas"])]
    return benchmark("qasper", documents, asked)


def _items(paper: DatasetRecord) -> Iterator[WordItem]:
    yield HeadingText(1, "Abstract")
    yield ParagraphText(str(paper["abstract"]))
    above: list[str] = []
    for section in records(paper["full_text"]):
        names = str(section.get("section_name") or "").split(_BETWEEN)
        for level, name in enumerate(names, 1):
            if name.strip() and (level == len(names) or above[:level] != names[:level]):
                yield HeadingText(min(level, 9), name)
        above = names
        yield from (ParagraphText(text) for text in texts(section["paragraphs"]) if text.strip())


def _asked(question: DatasetRecord, document: str) -> UnplacedQuestion:
    answers = [record(item["answer"]) for item in records(question["answers"])]
    evidence = [
        [
            clean(text)
            for text in texts(answer["evidence"])
            if text.strip() and not text.startswith(_FLOAT)
        ]
        for answer in answers
    ]
    gold = next((found for found in evidence if found), [])
    said = tuple(text for answer in answers if (text := _said(answer)))
    return UnplacedQuestion(
        str(question["question"]),
        document,
        tuple(gold),
        said,
        id=str(question.get("question_id", "")),
    )


def _said(answer: DatasetRecord) -> str:
    """Return the answer as the published script does; "" if the question is marked as
    unanswerable.
    """
    spans, free, decided = (
        texts(answer["extractive_spans"]),
        str(answer["free_form_answer"] or ""),
        answer.get("yes_no"),
    )
    return ", ".join(spans) or free or ("" if decided is None else "Yes" if decided else "No")

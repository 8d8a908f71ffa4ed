"""docxchunk eval"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docxchunk import api
from docxchunk.backends.choosing import ModelChoice
from docxchunk.backends.choosing import models as chosen
from docxchunk.cli import models as asked
from docxchunk.cli import options as common
from docxchunk.cli.consoles import Voice
from docxchunk.errors import MissingExtraError, OutputError, UsageError
from docxchunk.registry import missing_extra

if TYPE_CHECKING:
    from docxchunk.evaluation.chunkers import Chunker
    from docxchunk.evaluation.questions import Benchmark
    from docxchunk.evaluation.retrievers import Retriever
    from docxchunk.evaluation.runs import Path as RunPath
    from docxchunk.model.ports import Embedder, Models, Tokenizer

EXAMPLES = """\b
Examples:
  docxchunk eval --questions questions.jsonl
  docxchunk eval --questions questions.jsonl --equal-sizes 400 -o out
  docxchunk eval --questions q.jsonl --strategies P,P:table_max=1 --half dev
  docxchunk eval --questions q.jsonl --chunker mine=my_module:cut
  docxchunk eval --dataset tatqa=TAT-QA/dataset_raw --path none,headings
  docxchunk eval --questions q.jsonl --reader http://localhost:8000/v1

\b
--strategies: those of docxchunk strategies, with settings as in
NAME:key=value,key=value, and controls: blind (every N tokens), random (at
ends of sentences), P-flat (P that merges without regard to headings). The
first is the one that others are compared with.

\b
--dataset: chunking_evaluation, wikitexts (its articles as Word files), tatqa,
wikitablequestions, tables (any folder of Word files), gutenqa, longbench,
multihop_rag, crud, qasper. None comes with docxchunk."""


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def _strategies(text: str) -> list[str]:
    """Names with commas between; what is but key=value goes with the name before it."""
    found: list[str] = []
    for word in text.split(","):
        if found and "=" in word.partition(":")[0]:
            found[-1] += f",{word.strip()}"
        elif word.strip():
            found.append(word.strip())
    return list(dict.fromkeys(found))


def _numbers(_: click.Context, __: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(word) for word in _words(text)}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise click.BadParameter("give whole numbers over 0, with commas between.")
    return found


@click.command(epilog=EXAMPLES)
@click.option("--questions", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="JSON lines: question, document, gold.")
@click.option("--dataset", metavar="NAME=PATH", help="A published set of questions, from a folder or file.")
@click.option("--strategies", default="P,R,blind", show_default=True, metavar="NAME,...", help="What is compared; the first with each of the others.")
@click.option("--chunker", "others", multiple=True, metavar="NAME=MODULE:FUNCTION", help="A chunker of yours: (text, max_tokens) to ranges of the text.")
@click.option(
    "--retriever", default="bm25", show_default=True, metavar="NAME,...", help="bm25, embedders (minilm, a folder, MODULE:FUNCTION), rrf: all together."
)
@click.option("--budget", default="1000,2000,4000,8000", show_default=True, callback=_numbers, metavar="N,...", help="Characters of ranked text that are read.")
@common.single("--max-tokens", "-n", kind=click.IntRange(min=32), default=400, metavar="N", about="The most tokens of a chunk.")
@click.option("--equal-sizes", type=click.IntRange(min=32), metavar="N", help="Ask each for what gives chunks of N tokens in the mean.")
@click.option("--overlap", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="The most tokens shown twice in a split paragraph.")
@click.option("--tokenizer", "-t", default="o200k_base", show_default=True, metavar="NAME|FILE", help="What counts: docxchunk tokenizers, or a tokenizer.json.")
@click.option("--path", default="none", show_default=True, metavar="WHAT,...", help="Before the indexed text: none, headings, title (and headings).")
@click.option(
    "--half",
    type=click.Choice(["all", "dev", "test"]),
    default="all",
    show_default=True,
    help="Choose settings on one half of the documents, report the other.",
)
@click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where report.md, report.html and scores.jsonl go; else the Markdown is printed.",
)
@click.option("--reader", default="", metavar="URL|FOLDER", help="A model, as of --completer, that answers from what was found: EM, F1, ROUGE-L, BLEU.")
@common.quiet
@asked.models
def command(
    *,
    questions: Path | None,
    dataset: str | None,
    strategies: str,
    others: tuple[str, ...],
    retriever: str,
    budget: tuple[int, ...],
    max_tokens: int,
    equal_sizes: int | None,
    overlap: int,
    tokenizer: str,
    path: str,
    half: str,
    out: Path | None,
    reader: str,
    quiet: bool,
    models: ModelChoice,
) -> None:
    """Measure which way to chunk finds the answers to questions.

    Every chunk, of any strategy, is known by the characters of the document that it shows; so is every answer. What counts first is how much of the
    answers stands in the first N characters of ranked text.
    """
    _need_numpy()
    from docxchunk.evaluation import runs
    from docxchunk.evaluation.html import html
    from docxchunk.evaluation.markdown import markdown
    from docxchunk.evaluation.question_scores import question_scores
    from docxchunk.evaluation.report import report_of

    logging.getLogger("docxchunk").setLevel(logging.ERROR)  # what P says of plain text, it would say of each size that is tried
    voice = Voice(quiet=quiet)
    count = api.tokenizer(tokenizer)
    embedders = {name: _embedder(name, models) for name in _words(retriever) if name not in ("bm25", "rrf")}
    asked = _models_for(_strategies(strategies), models)
    found = runs.half_of(_benchmark(questions, dataset), runs.Half(half))
    if not found.questions:
        raise UsageError("There is no question to ask: the file, or that half of its documents, has none.")
    if reader and not any(question.answers for question in found.questions):
        raise UsageError("--reader: no question says what its answer is, so that nothing can be compared.")
    chunkers = _chunkers(_strategies(strategies), others, count, overlap, asked)
    plan = runs.Plan(
        chunkers=chunkers,
        retrievers=_retrievers(_words(retriever), embedders, count),
        max_tokens=max_tokens,
        equal_sizes=equal_sizes,
        budgets=budget,
        paths=tuple(_path(word) for word in _words(path)),
        models=(*embedders.values(), *(model for model in (asked.embedder, asked.scorer, asked.completer) if model)),
        reader=chosen(replace(models, completer=reader), ("completer",)).completer if reader else None,
    )
    results = runs.run(found, plan, voice.say)
    facts = [("half", half), ("tokens", count.name), ("overlap", f"{overlap} tokens"), *([("reader", plan.reader.name)] if plan.reader else [])]
    report = report_of(results, next(iter(chunkers)), facts)
    if out is None:
        sys.stdout.write(markdown(report))
    else:
        _write(out, {"report.md": markdown(report).encode(), "report.html": html(report).encode(), "scores.jsonl": b"".join(question_scores(results))}, voice)


def _need_numpy() -> None:
    try:
        import numpy as np  # noqa: F401 - the first of all that the evaluation imports
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("docxchunk eval", "numpy", "eval")) from error


def _benchmark(questions: Path | None, dataset: str | None) -> Benchmark:
    from docxchunk.evaluation import datasets
    from docxchunk.evaluation.questions import read_questions

    if (questions is None) == (dataset is None):
        raise UsageError("Give either --questions FILE or --dataset NAME=PATH.")
    if questions is not None:
        return read_questions(questions)
    name, equals, path = (dataset or "").partition("=")
    if not equals or not path:
        raise UsageError(f"--dataset {dataset}: a data set is given as NAME=PATH.")
    return datasets.load(name, Path(path))


def _chunkers(names: Iterable[str], others: Iterable[str], count: Tokenizer, overlap: int, models: Models) -> dict[str, Chunker]:
    """What is compared, by the name that the report shows, in order."""
    from docxchunk.evaluation.chunkers import named, of_function
    from docxchunk.evaluation.foreign import cutter

    found = {name: named(name, count, overlap, models) for name in names}
    for other in others:
        name, equals, target = other.partition("=")
        if not equals or not name or name in found:
            raise UsageError(f"--chunker {other}: a chunker is given as NAME=MODULE:FUNCTION, under a name of its own.")
        found[name] = of_function(cutter(target), count)
    if not found:
        raise UsageError("There is nothing to compare: --strategies and --chunker name nothing.")
    return found


def _retrievers(names: list[str], models: Mapping[str, Embedder], count: Tokenizer) -> dict[str, Retriever]:
    from docxchunk.evaluation.retrievers import Fused, bm25, dense, need_bm25, read_by

    if "bm25" in names:
        need_bm25()
    single: dict[str, Retriever] = {name: bm25 if name == "bm25" else dense(models[name], *read_by(models[name], count)) for name in names if name != "rrf"}
    if "rrf" in names and len(single) < 2:
        raise UsageError("rrf puts the rankings of others together: name at least two besides it.")
    if not names:
        raise UsageError("--retriever names nothing.")
    return {name: single[name] if name != "rrf" else Fused(tuple(single.values())) for name in names}


def _models_for(names: Iterable[str], choice: ModelChoice) -> Models:
    """The models that these strategies ask."""
    from docxchunk.chunking.named import named_strategy
    from docxchunk.evaluation.chunkers import is_control

    return chosen(choice, sorted({port for name in names if not is_control(name) for port in named_strategy(name).models}))


def _embedder(name: str, choice: ModelChoice) -> Embedder:
    """By name or folder, or as a function of another package makes it."""
    from docxchunk.evaluation.foreign import embedder

    if re.fullmatch(r"[\w.]+:\w+", name):
        return embedder(name)
    found = chosen(replace(choice, embedder=name), ("embedder",)).embedder
    assert found is not None  # noqa: S101 - it was named
    return found


def _path(word: str) -> RunPath:
    from docxchunk.evaluation.runs import Path as RunPath

    try:
        return RunPath(word)
    except ValueError:
        raise UsageError(f"--path {word}: it is one of {', '.join(RunPath)}.") from None


def _write(folder: Path, files: Mapping[str, bytes], voice: Voice) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
            voice.data(str(folder / name))
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror or error}.") from error

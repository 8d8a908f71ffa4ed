"""Benchmark a machine for models, with random weights or a model of the user: made for GPUs; on a
CPU, use a small shape.

python -m benchmarks.hardware --device cuda --texts 2000 -o card.json
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import click
import orjson

from docxchunk.backends.loading import ModelChoice, models
from docxchunk.backends.tokenizers import tokenizer
from docxchunk.cli import main
from docxchunk.cli import options as asked
from docxchunk.cli.bench import texts_option
from docxchunk.errors import ModelError
from docxchunk.lab.bench.models import losses_of, scoring_rates, sentences
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document
from docxchunk.model.ports import Models
from docxchunk.registry import extra_for
from docxchunk.sidecar.files import new_file

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from benchmarks.random_models import Machine
    from docxchunk.lab.models.causal_lm import Local

ONE_BY_ONE_GOAL: Final = 20.0
PREFILL_GOAL: Final = 0.6
_ANSWER: Final = 16  # tokens to generate, because random weights never end an answer
# at most: some strategies ask the model about one sentence after the other
_STRATEGY_SENTENCES: Final = 200
# of the batch that exceeds the memory: gigabytes of activations, whatever the shape
_MEMORY_TOKENS: Final = 400_000
_LOADING_SECONDS: Final = 180.0  # a process that waits longer for the others gives up
_STRATEGIES: Final = (
    *(
        "V",
        "similarity",
        "semantic-20",
        "PIC:pi=mean",
        "cluster",
        "LG",
        "LGMGC",
        "LG-doc",
        "PPL",
        "PPL:beyond=evict",
        "MSP",
        "MSP:previous=sentence",
    ),
    *("LumberChunker", "LumberChunker:mode=margin", "proposition", "LLM", "P:inner=PPL"),
)


@dataclass(frozen=True, slots=True)
class ShapeSpeed:
    """Throughput of one model; the name of random weights is "random" and their shape.

    `prefill` and `scoring` are tokens per second of the bare model, without logits, and of batched
    losses. `prefill_of_peak` and `scoring_of_prefill` are shares in operations per second, because
    losses need the logits of every token. The gains are the speedups of batched requests over
    single ones.
    """

    model: str
    weights: int
    prefill: float
    prefill_of_peak: float
    scoring: float
    scoring_of_prefill: float
    losses_gain: float
    endings_gain: float


@dataclass(frozen=True, slots=True)
class StrategyTiming:
    """Seconds of a strategy on the text, with the tokens that its models read and wrote."""

    strategy: str
    seconds: float
    tokens: int
    chunks: int


@dataclass(frozen=True, slots=True)
class HardwareReport:
    """Results of the hardware benchmark.

    `seconds` is the time so far. `halved`: a batch that ran out of memory gave the same answers as
    small batches. `changed` is the share of decisions that differ from float32. `processes` are the
    tokens per second of one and of two processes. `left_out` lists what was not measured, and why.
    """

    machine: Machine
    seconds: float = 0.0
    speeds: tuple[ShapeSpeed, ...] = ()
    strategies: tuple[StrategyTiming, ...] = ()
    halved: bool | None = None
    changed: float | None = None
    processes: tuple[float, ...] = ()
    left_out: tuple[str, ...] = ()


class Measurement(NamedTuple):
    """A part of the benchmark: adds its results to the report."""

    name: str
    measure: Callable[[HardwareReport], HardwareReport]


def reports(
    choice: ModelChoice, shapes: Sequence[str], number: int, seconds: float
) -> Iterator[HardwareReport]:
    """Measure models of these shapes, or in these folders, on a text of `number` sentences. Yield
    the report after each measurement.

    A measurement that fails is left out, whatever its error: the others go on. None begins after
    this many seconds. The first model is used by all measurements but those of speed. Raise
    MissingModelError for a folder without a model.
    """
    from benchmarks.random_models import check_shape, machine

    for shape in shapes:
        check_shape(shape)
    start = perf_counter()
    report = HardwareReport(machine(choice.device))
    for part in Hardware(choice, shapes, number).measurements():
        if perf_counter() - start > seconds:
            report = replace(report, left_out=(*report.left_out, f"{part.name}: no time left"))
        else:
            report = replace(_with(part, report), seconds=round(perf_counter() - start, 1))
        yield report


def _with(part: Measurement, report: HardwareReport) -> HardwareReport:
    from benchmarks.random_models import free_memory

    try:
        return part.measure(report)
    except Exception as error:  # noqa: BLE001 - the libraries raise anything on a machine where nothing of this was run before
        said = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    free_memory()  # after the handler: its traceback keeps the tensors alive
    return replace(report, left_out=(*report.left_out, f"{part.name}: {said}"))


class Hardware:
    """The measurements of a machine."""

    def __init__(self, choice: ModelChoice, shapes: Sequence[str], number: int) -> None:
        self._choice, self._shapes, self._number = choice, shapes, number
        self._texts = sentences(number)

    def measurements(self) -> Iterator[Measurement]:
        """Yield the measurements, the most important ones first."""
        yield from (
            Measurement(f"speed of {Path(shape).name}", partial(self._speed, shape))
            for shape in self._shapes
        )
        yield Measurement("decisions against float32", self._changed)
        yield Measurement("out-of-memory recovery", self._halved)
        yield from (Measurement(name, partial(self._timed, name)) for name in _STRATEGIES)
        yield from (
            Measurement(f"processes at once: {number}", partial(self._together, number))
            for number in (1, 2)
        )

    @cached_property
    def _local(self) -> Local:
        return self._model(self._shapes[0])

    def _model(self, shape: str) -> Local:
        from benchmarks.random_models import local_of

        return local_of(shape, self._choice.device, self._texts)

    def _speed(self, shape: str, report: HardwareReport) -> HardwareReport:
        from benchmarks.random_models import (
            body_operations,
            operations,
            peak,
            prefill_rate,
            scorer_of,
        )

        local = self._local if shape == self._shapes[0] else self._model(shape)
        bare = prefill_rate(local)
        losses, endings = scoring_rates(scorer_of(local), self._number)
        work, most = bare * body_operations(local), losses.tokens_a_second
        speed = ShapeSpeed(
            local.name,
            operations(local) // 2,
            bare,
            work / peak(local),
            most,
            most * operations(local) / work,
            losses.gain,
            endings.gain,
        )
        return replace(report, speeds=(*report.speeds, speed))

    def _timed(self, name: str, report: HardwareReport) -> HardwareReport:
        """Time a strategy on a text with ten sentences per paragraph."""
        from docxchunk.chunking import ChunkLimits, run
        from docxchunk.chunking.strategy import named_strategy
        from docxchunk.model.ports import costs_so_far

        def spent() -> int:
            return sum(
                costs_so_far(model).tokens
                for model in (self._asked.embedder, self._asked.scorer, self._asked.completer)
            )

        before, start = spent(), perf_counter()
        result = run(
            self._document, named_strategy(name), ChunkLimits(512), tokenizer(), self._asked
        )
        timing = StrategyTiming(
            name, round(perf_counter() - start, 2), spent() - before, len(result.chunks)
        )
        return replace(report, strategies=(*report.strategies, timing))

    @cached_property
    def _document(self) -> Document:
        texts = self._texts[:_STRATEGY_SENTENCES]
        lines = [" ".join(texts[at : at + 10]) for at in range(0, len(texts), 10)]
        return Document(
            "bench.txt",
            "txt",
            "doc-bench",
            "Bench",
            (Block("b-1", "\n".join(lines), "", (), 0),),
            structured=False,
        )

    @cached_property
    def _asked(self) -> Models:
        """The models of the strategies. If no embedder is chosen, MiniLM is used or, if that is not
        installed, the hashing embedder.
        """
        from benchmarks.random_models import completer_of, scorer_of

        embedder = models(replace(self._choice, cache=False), ("embedder",)).embedder
        embedder = embedder or models(ModelChoice("hashing", cache=False), ("embedder",)).embedder
        return Models(embedder, scorer_of(self._local), completer_of(self._local, _ANSWER))

    def _halved(self, report: HardwareReport) -> HardwareReport:
        """Score a batch with half of the memory that it takes."""
        from benchmarks.random_models import memory_limited, memory_taken, scorer_of

        if not report.machine.memory:
            raise ModelError("it needs a GPU")
        questions = losses_of(self._texts)
        questions *= 1 + _MEMORY_TOKENS // sum(len(question.text.split()) for question in questions)
        expected = scorer_of(self._local).score(questions)
        whole = scorer_of(self._local, 1 << 22)
        with memory_limited(memory_taken(lambda: whole.score(questions)) // 2) as errors:
            found = whole.score(questions)
        if not errors():
            raise ModelError("the batch did not run out of memory")
        same = all(
            abs(a - b) < 0.1
            for one, other in zip(expected, found, strict=True)
            for a, b in zip(one, other, strict=True)
        )
        return replace(report, halved=same)

    def _changed(self, report: HardwareReport) -> HardwareReport:
        """Compare the sentence ends where PPL splits, with the same weights in float32 and in the
        dtype of GPUs.
        """
        from benchmarks.random_models import in_numbers, scorer_of
        from docxchunk.lab.strategies.boundaries import minima

        questions = losses_of(self._texts)
        half = "bfloat16" if report.machine.numbers == "float32" else report.machine.numbers
        cuts = [
            [
                set(minima(answer))
                for answer in scorer_of(in_numbers(self._local, each)).score(questions)
            ]
            for each in (half, "float32")
        ]
        changed = sum(len(a ^ b) for a, b in zip(*cuts, strict=True)) / max(
            1, sum(len(question.ends) for question in questions)
        )
        return replace(report, changed=changed)

    def _together(self, processes: int, report: HardwareReport) -> HardwareReport:
        """Add the total tokens per second of several processes, each with its own model, measured
        after all are loaded.
        """
        context = multiprocessing.get_context("spawn")
        ready = context.Barrier(processes, timeout=_LOADING_SECONDS)
        with context.Pool(processes, _start, (ready,)) as pool:
            rates = pool.starmap(
                _work,
                [(self._shapes[0], self._choice.device, self._number)] * processes,
                chunksize=1,
            )
        return replace(report, processes=(*report.processes, float(sum(rates))))


_ready: Callable[[], object] | None = None


def _start(ready: Barrier) -> None:
    global _ready  # noqa: PLW0603 - set once in each worker process
    _ready = ready.wait


def _work(shape: str, device: str, number: int) -> float:
    from benchmarks.random_models import local_of, scorer_of

    texts = sentences(number)
    scorer = scorer_of(local_of(shape, device, texts))
    questions = losses_of(texts)
    scorer.score(questions)
    if _ready is not None:
        _ready()
    before, start = scorer.costs.tokens, perf_counter()
    scorer.score(questions)
    return (scorer.costs.tokens - before) / (perf_counter() - start)


def record(report: HardwareReport) -> dict[str, object]:
    """Return the report as JSON values."""
    return {**asdict(report), "machine": report.machine._asdict()}


def markdown(report: HardwareReport) -> str:
    """Format the report as Markdown tables."""
    lines = [
        (
            f"{report.machine.name}, {report.machine.numbers}, torch {report.machine.torch}; "
            f"measured in {report.seconds:,.0f} seconds."
        ),
        "",
    ]
    lines += [
        (
            "| model | weights | bare model, tokens/s | share of peak | scoring, tokens/s | "
            "share of bare model | gain, losses batched | gain, endings batched |"
        )
    ]
    lines += ["|---|---|---|---|---|---|---|---|"]
    lines += [
        f"| {s.model} | {s.weights:,} | {s.prefill:,.0f} | {s.prefill_of_peak:.0%} | "
        f"{s.scoring:,.0f} | {s.scoring_of_prefill:.0%} (goal {PREFILL_GOAL:.0%}) "
        f"| {s.losses_gain:.1f} × (goal {ONE_BY_ONE_GOAL:.0f} ×) | {s.endings_gain:.1f} × |"
        for s in report.speeds
    ]
    lines += ["", "| strategy | seconds | tokens read and written | chunks |", "|---|---|---|---|"]
    lines += [
        f"| `{t.strategy}` | {t.seconds:,.2f} | {t.tokens:,} | {t.chunks:,} |"
        for t in report.strategies
    ]
    lines += [""]
    lines += [
        f"- Processes at once: {number}; together {rate:,.0f} tokens/s."
        for number, rate in enumerate(report.processes, 1)
    ]
    if report.changed is not None:
        lines.append(f"- PPL decisions that differ from float32: {report.changed:.2%}.")
    if report.halved is not None:
        lines.append(
            "- An out-of-memory batch, halved, gives the answers of small batches: "
            f"{'yes' if report.halved else 'no'}."
        )
    lines += [f"- Not measured: {text}." for text in report.left_out]
    return "\n".join(lines) + "\n"


@click.command()
@asked.models
@texts_option
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    type=click.Choice(["tiny", "0.5B", "7B"]),
    help="Shape of the random weights; repeatable.  [default: 0.5B and 7B]",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0),
    default=8.0,
    show_default=True,
    metavar="N",
    help="Begin no measurement after this time.",
)
@click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the results to FILE as JSON, and as Markdown beside it (.md), after each "
    "measurement.",
)
def command(
    *, models: ModelChoice, texts: int, shapes: tuple[str, ...], minutes: float, out: Path | None
) -> None:
    """Measure a machine for models: throughput, all strategies that use models, recovery from
    out-of-memory, bfloat16 against float32, two processes at once.

    It needs no model: it uses random weights of real model shapes, or the model of --scorer. On a
    GPU it should take less than ten minutes. A measurement that fails is listed, and the others go
    on.
    """
    with extra_for("The benchmark of a machine", "", "llm"):
        for report in reports(
            models,
            shapes or ((models.scorer,) if models.scorer else ("0.5B", "7B")),
            texts,
            minutes * 60,
        ):
            if out is not None:
                _write(out, orjson.dumps(record(report), option=orjson.OPT_INDENT_2))
                _write(out.with_suffix(".md"), markdown(report).encode())
    click.echo(markdown(report), nl=False)


def _write(path: Path, data: bytes) -> None:
    with new_file(path) as file:
        file.write(data)


if __name__ == "__main__":
    main(command)

"""Benchmark a machine for models, with random weights: made for GPUs; on a CPU, use a small shape."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final

from docxchunk.backends import tokenizer
from docxchunk.backends.loading import ModelChoice, models
from docxchunk.bench.models import scoring_rates, sentences
from docxchunk.errors import DocxchunkError
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document
from docxchunk.model.ports import Embedder, Losses, Models

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from docxchunk.backends.causal_lm import Local
    from docxchunk.backends.random_models import Machine

ONE_BY_ONE_GOAL: Final = 20.0
PREFILL_GOAL: Final = 0.6
_ANSWER: Final = 16  # tokens to generate, because random weights never end an answer
_STRATEGIES: Final = (
    *("V", "similarity", "semantic-20", "PIC:pi=mean", "cluster", "LG", "LGMGC", "LG-doc", "PPL", "PPL:beyond=evict", "MSP", "MSP:previous=sentence"),
    *("LumberChunker", "LumberChunker:mode=margin", "proposition", "LLM", "P:inner=PPL"),
)


@dataclass(frozen=True, slots=True)
class ShapeSpeed:
    """Throughput of one model shape.

    `prefill` and `scoring` are tokens per second of the bare model and of batched losses; `prefill_of_peak` and `scoring_of_prefill` are shares. The
    gains are the speedups of batched requests over single ones.
    """

    shape: str
    weights: int
    prefill: float
    prefill_of_peak: float
    scoring: float
    scoring_of_prefill: float
    losses_gain: float
    endings_gain: float


@dataclass(frozen=True, slots=True)
class StrategyTiming:
    """Seconds of a strategy on the text, with the tokens that its models read and wrote; `failed` is the error message, if any."""

    strategy: str
    seconds: float = 0.0
    tokens: int = 0
    chunks: int = 0
    failed: str = ""


@dataclass(frozen=True, slots=True)
class HardwareReport:
    """Results of the hardware benchmark.

    `seconds` is the duration of the benchmark; `halved`: an out-of-memory batch gave the same answers as small batches; `changed` is the share of
    decisions that differ from float32; `processes` are the tokens per second of one and of two processes; `left_out` lists failed measurements.
    """

    machine: Machine
    seconds: float
    speeds: tuple[ShapeSpeed, ...]
    strategies: tuple[StrategyTiming, ...]
    halved: bool | None
    changed: float | None
    processes: tuple[float, float]
    left_out: tuple[str, ...] = field(default=())


def measured(device: str, shapes: Sequence[str], number: int) -> HardwareReport:
    """Run the benchmark with random weights of these shapes on a text of `number` sentences. Strategies use the first shape."""
    from docxchunk.backends.random_models import machine, random_local

    start = perf_counter()
    texts, left_out, speeds = sentences(number), list[str](), list[ShapeSpeed]()
    for shape in shapes:
        try:
            speeds.append(_speed(random_local(shape, device, texts), shape, number))
        except DocxchunkError as error:
            left_out.append(f"{shape}: {error}")
    local = random_local(shapes[0], device, texts)
    halved = _halved(local, device, texts, left_out)
    timed = tuple(_timed(local, device, texts))
    changed = _changed(local, random_local(shapes[0], device, texts, "float32"), texts)
    processes = (_together(1, shapes[0], device, number), _together(2, shapes[0], device, number))
    return HardwareReport(machine(device), round(perf_counter() - start, 1), tuple(speeds), timed, halved, changed, processes, tuple(left_out))


def _speed(local: Local, shape: str, number: int) -> ShapeSpeed:
    from docxchunk.backends.random_models import operations, peak, prefill_rate, scorer_of

    bare, scorer = prefill_rate(local, 2048), scorer_of(local)
    losses, endings = scoring_rates(scorer, number)
    of_peak = bare * operations(local) / peak(local)
    share = losses.tokens_a_second / bare
    return ShapeSpeed(shape, operations(local) // 2, bare, of_peak, losses.tokens_a_second, share, losses.gain, endings.gain)


def _timed(local: Local, device: str, texts: Sequence[str]) -> Iterator[StrategyTiming]:
    """Time all strategies that use models, on a text with ten sentences per paragraph."""
    from docxchunk.backends.costs import costs_of
    from docxchunk.backends.random_models import completer_of, scorer_of
    from docxchunk.chunking import ChunkLimits, run
    from docxchunk.chunking.strategy_spec import named_strategy

    lines = [" ".join(texts[at : at + 10]) for at in range(0, len(texts), 10)]
    document = Document("bench.txt", "txt", "doc-bench", "Bench", (Block("b-1", "\n".join(lines), "", (), 0),), structured=False)
    asked = Models(_embedder(device), scorer_of(local), completer_of(local, _ANSWER))
    for name in _STRATEGIES:
        before, start = sum(costs.tokens for costs in costs_of(asked).values()), perf_counter()
        try:
            result = run(document, named_strategy(name), ChunkLimits(512), tokenizer(), asked)
        except DocxchunkError as error:
            yield StrategyTiming(name, failed=str(error))
            continue
        tokens = sum(costs.tokens for costs in costs_of(asked).values()) - before
        yield StrategyTiming(name, round(perf_counter() - start, 2), tokens, len(result.chunks))


def _embedder(device: str) -> Embedder | None:
    """Return MiniLM, or the hashing embedder if MiniLM is not installed."""
    found = models(ModelChoice(device=device, cache=False), ("embedder",)).embedder
    return found or models(ModelChoice("hashing", cache=False), ("embedder",)).embedder


def _questions(texts: Sequence[str]) -> list[Losses]:
    groups = [texts[at : at + 10] for at in range(0, len(texts), 10)]
    return [Losses(text := " ".join(group), (*_ends(group), len(text))) for group in groups]


def _ends(group: Sequence[str]) -> Iterator[int]:
    at = -1
    for sentence in group[:-1]:
        at += len(sentence) + 1
        yield at


def _halved(local: Local, device: str, texts: Sequence[str], left_out: list[str]) -> bool | None:
    """Return whether a batch that exceeds the memory gives the same answers as small batches; None without GPU memory."""
    from docxchunk.backends.random_models import limit_memory, machine, memory_share, scorer_of

    if not machine(device).memory:
        left_out.append("out-of-memory recovery: it needs a GPU")
        return None
    questions = _questions(texts) * 8
    expected = scorer_of(local).score(questions)
    limit_memory(min(1.0, memory_share(device) + 0.02))
    try:
        found = scorer_of(local, 1 << 22).score(questions)
    finally:
        limit_memory(1.0)
    return all(abs(a - b) < 0.1 for one, other in zip(expected, found, strict=True) for a, b in zip(one, other, strict=True))


def _changed(local: Local, exact: Local, texts: Sequence[str]) -> float:
    """Return the share of sentence ends where PPL splits with one of the two models only."""
    from docxchunk.backends.random_models import scorer_of
    from docxchunk.chunking.boundaries import minima

    questions = _questions(texts)
    cuts = [[set(minima(answer)) for answer in scorer_of(one).score(questions)] for one in (local, exact)]
    return sum(len(a ^ b) for a, b in zip(*cuts, strict=True)) / max(1, sum(len(question.ends) for question in questions))


def _together(processes: int, shape: str, device: str, number: int) -> float:
    """Return the total tokens per second of several processes, each with its own model, measured after all are loaded."""
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(processes)
    with context.Pool(processes, _start, (ready,)) as pool:
        rates = pool.starmap(_work, [(shape, device, number)] * processes, chunksize=1)
    return float(sum(rates))


_ready: Callable[[], object] | None = None


def _start(ready: Barrier) -> None:
    global _ready  # noqa: PLW0603 - set once in each worker process
    _ready = ready.wait


def _work(shape: str, device: str, number: int) -> float:
    from docxchunk.backends.random_models import random_local, scorer_of

    texts = sentences(number)
    scorer = scorer_of(random_local(shape, device, texts))
    questions = _questions(texts)
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
    one, two = report.processes
    lines = [f"{report.machine.name}, {report.machine.numbers}, torch {report.machine.torch}, random weights; measured in {report.seconds:,.0f} seconds.", ""]
    lines += [
        "| shape | weights | bare model, tokens/s | share of peak | scoring, tokens/s | share of bare model | gain, losses batched | gain, endings batched |"
    ]
    lines += ["|---|---|---|---|---|---|---|---|"]
    lines += [
        f"| {s.shape} | {s.weights:,} | {s.prefill:,.0f} | {s.prefill_of_peak:.0%} | {s.scoring:,.0f} | {s.scoring_of_prefill:.0%} (goal {PREFILL_GOAL:.0%}) "
        f"| {s.losses_gain:.1f} × (goal {ONE_BY_ONE_GOAL:.0f} ×) | {s.endings_gain:.1f} × |"
        for s in report.speeds
    ]
    lines += ["", "| strategy | seconds | tokens read and written | chunks |", "|---|---|---|---|"]
    lines += [f"| `{t.strategy}` | {t.failed or f'{t.seconds:,.2f}'} | {t.tokens:,} | {t.chunks:,} |" for t in report.strategies]
    lines += ["", f"- One process: {one:,.0f} tokens/s; two at once: {two:,.0f}."]
    if report.changed is not None:
        lines.append(f"- PPL decisions that differ from float32: {report.changed:.2%}.")
    if report.halved is not None:
        lines.append(f"- An out-of-memory batch, halved, gives the answers of small batches: {'yes' if report.halved else 'no'}.")
    lines += [f"- Not measured: {text}." for text in report.left_out]
    return "\n".join(lines) + "\n"

"""The command `docxchunk chunk`, and the chunking options of commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import partial, wraps
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import click

from docxchunk.api import DEFAULT_MAX_TOKENS, DEFAULT_TOKENIZER
from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Reading
from docxchunk.batch.metadata import with_metadata
from docxchunk.batch.pool import Jobs
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import SECONDS_BETWEEN_LINES, InputRun, clock_time
from docxchunk.errors import UsageError
from docxchunk.model.metadata import Rows
from docxchunk.model.options import ChunkLimits, ParseOptions
from docxchunk.registry import extra_for
from docxchunk.sidecar.atomic import new_file

if TYPE_CHECKING:
    from docxchunk.batch.chunk_spec import ChunkSpec
    from docxchunk.batch.chunking import Chunked
    from docxchunk.chunking.models import OnAnswer

# -- chunking options, and the options of a run that they stand for

SHARED: Final = tuple(setting for setting in fields(ChunkLimits) if setting.name != "max_tokens")
"""The settings of all strategies that have one value in a run."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Chunking options from the command line.

    `strategies` and `sizes` have several values if these are compared, and none if none is given.
    `shared` has the values of the other options that apply to every strategy. Equality ignores
    `models`: they alone do not request new chunks.
    """

    strategies: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    tokenizer: str = DEFAULT_TOKENIZER
    settings: tuple[str, ...] = ()
    shared: Mapping[str, Any] = field(
        default_factory=lambda: {setting.name: setting.default for setting in SHARED}
    )
    models: ModelChoice = field(default_factory=ModelChoice, compare=False)


def choosing(function: Callable[..., None], *, several: bool = False) -> Callable[..., None]:
    """Add the chunking options; pass them as one argument `choice`. With `several`, strategies and
    sizes can be compared.
    """
    repeated = "; repeat it to compare several" * several

    @click.option(
        "--strategy",
        "-s",
        "strategies",
        multiple=several,
        callback=_each_once,
        metavar="NAME",
        help=f"Chunking strategy (see docxchunk strategies){repeated}.  [default: P]",
    )
    @click.option(
        "--max-tokens",
        "-n",
        "sizes",
        type=int,
        multiple=several,
        callback=_each_once,
        metavar="N",
        help=f"Maximum tokens per chunk{repeated}.  [default: {DEFAULT_MAX_TOKENS}]",
    )
    @partial(common.declared, SHARED)
    @common.tokenizer
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="Setting of the strategy. Can be repeated.",
    )
    @common.models
    @wraps(function)
    def with_choice(**arguments: Any) -> None:
        arguments["shared"] = common.settings_in(arguments, SHARED)
        chosen = {field.name: arguments.pop(field.name) for field in fields(Choice)}
        function(choice=Choice(**chosen), **arguments)

    return with_choice


def _each_once(_: click.Context, __: click.Parameter, value: object) -> tuple[object, ...]:
    """Return each value once; an option that can be given once has one or none."""
    values = value if isinstance(value, tuple) else filter(None, (value,))
    return tuple(dict.fromkeys(values))


def chunk_specs(choice: Choice) -> tuple[ChunkSpec, ...]:
    """Return the chunk options for each strategy and size. A setting goes to every strategy that
    has it. Raise UsageError for invalid settings.
    """
    from docxchunk.batch.chunk_spec import ChunkSpec
    from docxchunk.chunking.strategy import current_name, parse_settings

    texts: Sequence[str] = choice.settings
    if "P" in (strategies := choice.strategies or ("P",)):
        name, texts = current_name("P", choice.settings)
        strategies = tuple(name if strategy == "P" else strategy for strategy in strategies)
    settings = {
        strategy: parse_settings(strategy, _settings_for(strategy, strategies, texts))
        for strategy in strategies
    }
    return tuple(
        ChunkSpec(
            strategy,
            ChunkLimits(size, **choice.shared),
            choice.tokenizer,
            settings[strategy],
            models=choice.models,
        )
        for strategy in strategies
        for size in choice.sizes or (DEFAULT_MAX_TOKENS,)
    )


def _settings_for(strategy: str, strategies: tuple[str, ...], texts: Sequence[str]) -> list[str]:
    """Return the settings for `strategy`, without those that only other strategies have. A setting
    that no strategy has is returned, too, so that it is reported.
    """
    from docxchunk.chunking.strategy import default_settings

    if len(strategies) == 1 or not texts:
        return list(texts)
    accepted = {name: {setting for setting, _ in default_settings(name)} for name in strategies}
    names = set().union(*accepted.values())
    return [
        text
        for text in texts
        if (name := text.partition("=")[0]) in accepted[strategy] or name not in names
    ]


# -- chunk

EXAMPLES = """\b
Examples:
  docxchunk chunk report.docx            into report.docx.parsed/
  docxchunk chunk docs -r -o out -j 4    a folder tree, mirrored under out/
  docxchunk chunk report.docx -o - | jq -r .content
  docxchunk chunk report.docx.parsed --max-tokens 512 --overlap 50
  docxchunk chunk report.docx --strategy V --embedder FOLDER

Results that are up to date are kept, also after Ctrl-C."""


@common.command(
    epilog=EXAMPLES,
    most_used="--out --strategy --max-tokens --overlap --set --recursive --jobs --force "
    "--track-changes --comments --quiet",
    old_names=common.OLD_NAMES,
)
@common.paths
@common.out(dash=True)
@choosing
@common.flag(
    "--situate",
    help="Add to embed_text a sentence by the --completer about the place of the chunk.",
)
@common.flag(
    "--units",
    help="Also write the sentences and table rows of the chunks, for a search.",
)
@click.option(
    "--trace",
    type=common.NewFile(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write what each stage does to FILE, as JSON lines.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    help="Run on this machine or on a Ray cluster.",
)
@common.recursive
@common.jobs("auto")
@common.force
@common.prune
@common.doc_id
@common.metadata
@common.quiet
@common.reading
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    choice: Choice,
    situate: bool,
    units: bool,
    trace: Path | None,
    engine: str,
    recursive: bool,
    jobs: Jobs,
    force: bool,
    prune: bool,
    doc_id: str,
    metadata: Rows | None,
    quiet: bool,
    options: ParseOptions,
) -> None:
    """Split Word files or parsed folders into chunks.

    PATH is a Word file, a parsed folder, a .blocks.jsonl file, plain text, Markdown, a folder of
    Word files and parsed folders, a pattern such as 'docs/**/*.md', or - for standard input, whose
    chunks are printed. Chunks are written into the parsed folder, and its path is printed.
    """
    from docxchunk.batch.chunk_spec import check, window_warned
    from docxchunk.batch.chunking import chunk_all

    if common.STANDARD_INPUT in paths:
        out, paths = out or Path("-"), common.with_standard_input(paths)
    _refuse(out, trace, engine, {"--prune": prune, "--metadata": metadata is not None})
    if units and engine == "ray":
        raise UsageError("--units writes beside chunk files, which --engine ray does not write.")
    folder = None if str(out) == "-" else out
    reading = Reading(
        options, folder, doc_id, force, as_parsed=common.without_parser_options() and not force
    )
    reporter = Reporter(quiet=quiet)
    spec = replace(
        chunk_specs(choice)[0],
        trace=trace is not None,
        keep=folder is out,
        situate=situate,
        units=units,
        watch=partial(model_progress, reporter),
    )
    check(spec)
    if engine == "ray":
        scan = Scan(recursive=recursive)
        _chunk_on_ray(paths, scan, reading, spec, jobs=jobs, reporter=reporter)
        return
    scan = Scan(recursive=recursive, parsed=True, convert=options.convert)
    items = with_metadata(
        find_inputs(paths, folder, scan), metadata, partial(reporter.warn, "--metadata")
    )
    run = InputRun(items, doc_id, reporter, "chunk", "token")
    if spec.keep:
        run.leave_out(paths, folder, scan, prune=prune)
    run.tell_of_options(options, doc_id)
    with (
        nullcontext() if trace is None else new_file(trace) as file,
        window_warned(spec, reporter.say),
    ):
        run.through(chunk_all(run.inputs, reading, spec, jobs), partial(_take, run, file))
    if spec.keep:
        run.record(paths, folder)
    run.end()


def _refuse(
    out: Path | None, trace: Path | None, engine: str, of_folders: Mapping[str, bool]
) -> None:
    """Raise UsageError for options that do not apply. `of_folders` says which options that need
    parsed folders are given.
    """
    if any(of_folders.values()) and (engine == "ray" or str(out) == "-"):
        name = next(name for name, is_given in of_folders.items() if is_given)
        raise UsageError(
            f"{name} is for parsed folders, which --engine ray and --out - do not write."
        )
    if engine == "ray" and (out is None or str(out) == "-" or trace):
        raise UsageError("--engine ray writes Parquet: it needs --out DIR, and has no --trace.")


def _chunk_on_ray(
    paths: Sequence[str],
    scan: Scan,
    reading: Reading,
    spec: ChunkSpec,
    *,
    jobs: Jobs,
    reporter: Reporter,
) -> None:
    with extra_for("--engine ray", "", "ray"):
        from docxchunk.batch import ray_data
    run = InputRun(ray_data.find_files(paths, scan), reading.doc_id, reporter, "chunk", "token")
    run.through(ray_data.chunk_on_ray(run.inputs, reading, spec, jobs), partial(_take, run, None))
    out = cast("Path", reading.out)  # `_refuse` has checked it
    ray_data.write_failures(out, [*run.failures, *run.damaged])
    run.end()


def _take(run: InputRun, trace: BinaryIO | None, item: Input, chunked: Chunked) -> None:
    run.reused += chunked.reused
    run.tell(item, chunked.notes, chunked.damage)
    run.counts.update(chunk=chunked.chunks, token=chunked.tokens)
    if trace is not None:
        trace.write(chunked.trace)
    if chunked.path:
        run.reporter.data(chunked.path)
    elif chunked.lines:
        sys.stdout.buffer.write(chunked.lines)


# -- what models will read, and have read

LEAST_REPORTED: Final = 80_000
"""Characters from which the expected work of models is reported."""


def model_progress(
    reporter: Reporter, name: str, expected: float, clock: Callable[[], float] = monotonic
) -> OnAnswer:
    """Report about how many characters models will read, if they are many. Return the callback for
    each answer, which reports every ten seconds how much is read, and the time left.
    """
    if expected >= LEAST_REPORTED:
        reporter.say(f"{name}: models will read about {expected:,.0f} characters.")
    start = last_line = clock()
    read, lock = 0, Lock()

    def count_answer(port: str, characters: int) -> None:  # noqa: ARG001 - one total for all ports
        nonlocal last_line, read
        with lock:
            read += characters
            now = clock()
            share = min(read / max(1, expected), 0.99)
            if now - last_line >= SECONDS_BETWEEN_LINES and share:
                last_line = now
                time_left = clock_time((now - start) * (1 - share) / share)
                reporter.say(f"{name}: about {share:.0%} read, {time_left} left")

    return count_answer

"""Chunks made on a local Ray."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest
from cli.helpers import docxchunk
from docx_builder import docx

from docxchunk.batch.chunk_spec import ChunkSpec
from docxchunk.batch.chunking import Chunked, chunk_all
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Reading
from docxchunk.batch.pool import Failed
from docxchunk.errors import OutputError
from docxchunk.model.options import ChunkLimits

pytestmark = pytest.mark.filterwarnings("default")  # from Ray and its dependencies


@pytest.fixture(scope="module")
def ray_data():
    ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "docxchunk[ray]"')
    pytest.importorskip("pyarrow", reason='pyarrow is not installed: pip install "docxchunk[ray]"')
    # Ray does not check the number of GPUs
    ray.init(num_cpus=3, num_gpus=1, include_dashboard=False, log_to_driver=False)
    from docxchunk.batch import ray_data

    yield ray_data
    ray.shutdown()


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "in"
    for number in range(40):
        (folder / f"{number % 2}").mkdir(parents=True, exist_ok=True)
        text = "".join(
            f"<p style='Heading1'>{n}</p><p>{f'Text of {number}. ' * 30}</p>"
            for n in range(number % 5 + 1)
        )
        (folder / f"{number % 2}" / f"{number:02}.docx").write_bytes(
            docx(
                text + "<tbl><tr><tc>a</tc></tr></tbl><p><pic src='a.png'/></p>",
                {"media/a.png": b"\x89PNG"},
            )
        )
    (folder / "1" / "07.docx").write_bytes(b"%PDF-1.7")
    (folder / "~$00.docx").touch()
    return folder


MAKING = ChunkSpec(limits=ChunkLimits(100), keep=False)


def rows(folder):
    from pyarrow import parquet

    table = parquet.read_table(folder / "chunks").drop_columns(["made_from"])
    return sorted(table.to_pylist(), key=lambda row: (row["source"], row["chunk_order_index"]))


def without_nulls(value):
    """Drop the fields that are null: all rows have the same columns."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def here(documents):
    """Return the outcomes and the chunks of a run in one process."""
    items = [
        item
        for item in find_inputs([str(documents)], None, Scan(recursive=True))
        if isinstance(item, Input)
    ]
    outcomes = list(chunk_all(items, Reading(), MAKING, 1))
    records = [
        json.loads(line) | {"source": item.label}
        for item, outcome in outcomes
        if isinstance(outcome, Chunked)
        for line in outcome.lines.splitlines()
    ]
    return outcomes, records


def on_ray(ray_data, path, out):
    items = [
        item
        for item in ray_data.find_files([path], Scan(recursive=True))
        if isinstance(item, Input)
    ]
    return list(ray_data.chunk_on_ray(items, Reading(out=out), MAKING, 2))


@pytest.mark.parametrize("models", [(), ("embedder",)], ids=["no models", "models"])
def test_chunks_equal_those_of_one_process(ray_data, documents, tmp_path, monkeypatch, models):
    monkeypatch.setattr(ray_data, "models_of", lambda _: models)
    outcomes, records = here(documents)
    found = on_ray(ray_data, str(documents), tmp_path / "out")
    assert [item.label for item, _ in found] == [item.label for item, _ in outcomes]
    assert [
        each if isinstance(each, Failed) else (each.chunks, each.tokens, each.notes)
        for _, each in found
    ] == [
        each if isinstance(each, Failed) else (each.chunks, each.tokens, each.notes)
        for _, each in outcomes
    ]
    assert sum(isinstance(outcome, Failed) for _, outcome in found) == 1
    assert without_nulls(rows(tmp_path / "out")) == without_nulls(records)


def test_documents_lost_with_a_killed_worker_are_reported(
    ray_data, documents, tmp_path, monkeypatch
):
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests
    work = ray_data.chunk_file

    def deadly(task, item):
        if item.label == "1/13.docx":
            os.kill(os.getpid(), signal.SIGKILL)
        return work(task, item)

    monkeypatch.setattr(ray_data, "chunk_file", deadly)
    found = on_ray(ray_data, str(documents), tmp_path / "out")
    lost = [
        item.label
        for item, outcome in found
        if isinstance(outcome, Failed) and outcome.error == "Killed"
    ]
    assert lost == ["1/13.docx"]
    assert {row["source"] for row in rows(tmp_path / "out")} == {
        item.label for item, outcome in found if isinstance(outcome, Chunked)
    }


def reused(found):
    return sum(isinstance(outcome, Chunked) and outcome.reused for _, outcome in found)


def test_a_second_run_continues_the_first(ray_data, documents, tmp_path):
    whole = tmp_path / "whole"
    assert reused(on_ray(ray_data, str(documents), whole)) == 0
    assert reused(on_ray(ray_data, str(documents), whole)) == 39
    out = tmp_path / "out"
    later = documents.with_name("later")
    (documents / "1").rename(later)
    on_ray(ray_data, str(documents), out)
    later.rename(documents / "1")
    part = next((out / "chunks").iterdir())  # as if its writer was killed
    part.write_bytes(part.read_bytes()[:-9])
    assert reused(on_ray(ray_data, str(documents), out)) == 19
    assert (
        without_nulls(rows(out)) == without_nulls(rows(whole)) == without_nulls(here(documents)[1])
    )


def test_a_folder_with_other_files_is_refused(ray_data, documents, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    with pytest.raises(OutputError, match="contains files that docxchunk did not write"):
        on_ray(ray_data, str(documents), tmp_path / "out")


def test_without_ray_the_error_names_the_extra(tmp_path):
    try:
        import ray  # noqa: F401
    except ModuleNotFoundError:
        said = docxchunk("chunk", tmp_path, "--engine", "ray", "-o", "out")
        assert said.code == 1
        assert 'pip install "docxchunk[ray]"' in said.err
    else:
        pytest.skip("Ray is installed")

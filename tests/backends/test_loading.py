"""Models by name, folder and address."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("numpy", reason="the extra semantic is not installed")

from docx_builder import docx

import docxchunk
from docxchunk.backends import loading, local_models
from docxchunk.backends.loading import ModelChoice, models
from docxchunk.errors import MissingModelError, ModelError, UsageError
from docxchunk.model.ports import NO_MODELS, Choices, prompts


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch, tmp_path):
    for port in ("EMBEDDER", "SCORER", "COMPLETER"):
        monkeypatch.delenv(f"DOCXCHUNK_{port}", raising=False)
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "cache"))


def test_a_strategy_without_models_loads_none():
    assert models(ModelChoice("nonsense", "nonsense", "nonsense"), ()) == NO_MODELS


def test_the_environment_fills_empty_fields(monkeypatch):
    monkeypatch.setenv("DOCXCHUNK_EMBEDDER", "hashing")
    assert docxchunk.models().embedder.name == "hashing"
    monkeypatch.setenv("DOCXCHUNK_EMBEDDER", "nonsense")
    assert docxchunk.models("hashing").embedder.name == "hashing"


def test_an_unknown_embedder_lists_the_known_ones():
    with pytest.raises(
        UsageError, match="There is no embedder named 'nonsense'; there are minilm, hashing"
    ):
        docxchunk.models("nonsense")


def test_no_embedder_is_the_default():
    assert docxchunk.models().embedder is None
    with pytest.raises(
        MissingModelError,
        match=r'models=docxchunk\.models\(embedder="FOLDER"\) \(pip install "docxchunk\[semantic\]"\)',
    ):
        docxchunk.chunk(docx("<p>One. Two.</p>"), strategy="V", models=docxchunk.models())


@pytest.mark.parametrize(
    ("choice", "package", "extra"),
    [
        (ModelChoice(embedder="."), "sentence_transformers", "semantic"),
        (ModelChoice(scorer="."), "torch", "llm"),
        (ModelChoice(completer="."), "torch", "llm"),
        (ModelChoice(scorer="tiny.gguf"), "llama_cpp", "llama-cpp"),
        (ModelChoice(completer="llama.cpp:tiny.gguf"), "llama_cpp", "llama-cpp"),
        (ModelChoice(completer="http://localhost:1/v1#m"), "openai", "api"),
        (ModelChoice(scorer="http://localhost:1/v1#m"), "openai", "api"),
    ],
)
def test_a_missing_extra_says_how_to_get_it(choice, package, extra):
    port = next(name for name in ("embedder", "scorer", "completer") if getattr(choice, name))
    code = (
        f"import sys; sys.modules[{package!r}] = None; from docxchunk.backends.loading import "
        f"*; models({choice!r}, [{port!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError: " in done.stderr.splitlines()[-1], done.stderr
    assert (
        f'needs the package {package}: pip install "docxchunk[{extra}]"'
    ) in done.stderr.splitlines()[-1]


def test_a_missing_device_is_an_error():
    torch = pytest.importorskip("torch", reason="the extra llm is not installed")
    with pytest.raises(UsageError, match="There is no device 'tpu'; there are auto, cpu, cuda"):
        models(ModelChoice("minilm", device="tpu"))
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="PyTorch finds no graphics card"):
            models(ModelChoice("minilm", device="cuda"))


@pytest.mark.parametrize(("new", "numbers"), [(True, "bfloat16"), (False, "float16")])
def test_a_graphics_card_is_used_with_its_dtype(monkeypatch, new, numbers):
    torch = pytest.importorskip("torch", reason="the extra llm is not installed")
    from docxchunk.backends.language_models.causal_lm import precision
    from docxchunk.backends.local_models import device_named

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation: new or including_emulation
    )
    assert [device_named(name).type for name in ("auto", "cuda", "cpu")] == ["cuda", "cuda", "cpu"]
    assert precision(device_named("auto")) == getattr(torch, numbers)
    assert precision(device_named("cpu")) == torch.float32


def test_models_of_a_folder(tmp_path):
    pytest.importorskip("transformers", reason="the extra llm is not installed")
    from backends.language_models import tiny_models

    folder = str(tiny_models.saved(tmp_path / "tiny"))
    found = models(ModelChoice(scorer=folder, completer=folder, device="cpu"))
    assert found.scorer.fingerprint != found.completer.fingerprint
    assert found.scorer.score([Choices("Which?", ("1", "2"))])[0][0] < 0
    # held once
    assert found.scorer._inner.model._reader._model is found.completer._inner.model._model
    embedder, scorer = loading.loaded(ModelChoice("hashing", scorer=folder, device="cpu"))
    assert embedder.name == "hashing"
    assert scorer is found.scorer._inner.model


# -- files of models


def folder_of(path, files):
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


FILES = {"config.json": b"{}", "sub/model.safetensors": b"weights"}


@pytest.mark.parametrize(
    ("files", "is_same"),
    [
        (FILES, True),
        (FILES | {"README.md": b"text", "sub/notes": b""}, True),  # they change no answer
        (FILES | {"sub/model.safetensors": b"other"}, False),
        (FILES | {"tokenizer.json": b""}, False),
        ({"config.json": b"{}", "model.safetensors": b"weights"}, False),
        ({"config.json": b"weights", "sub/model.safetensors": b"{}"}, False),
        ({"README.md": b"text"}, False),
    ],
)
def test_the_hash_of_a_model_is_that_of_its_files_and_their_names(tmp_path, files, is_same):
    one, other = folder_of(tmp_path / "one", FILES), folder_of(tmp_path / "other", files)
    assert (local_models.content_hash(one) == local_models.content_hash(other)) is is_same
    assert (local_models.fingerprint(one, "a") == local_models.fingerprint(other, "a")) is is_same
    assert local_models.fingerprint(one, "a") != local_models.fingerprint(one, "b")


def test_the_folder_of_a_model_has_its_file(tmp_path):
    folder_of(tmp_path / "tiny", FILES)
    assert local_models.model_folder(str(tmp_path / "tiny"), "config.json", "model") == (
        (tmp_path / "tiny").resolve()
    )
    with pytest.raises(
        MissingModelError, match=r"There is no big model at .*tiny: give the folder"
    ):
        local_models.model_folder(str(tmp_path / "tiny"), "modules.json", "big model")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("It is broken.\nAnd more."), "It is broken"),
        (KeyError(), "KeyError"),
        (OSError(" no file "), "no file"),
    ],
)
def test_an_error_while_a_model_is_loaded_is_one_sentence(capsys, error, reason):
    with (
        pytest.raises(ModelError, match=rf"^The model in tiny cannot be loaded \({reason}\)\.$"),
        local_models.loading("tiny"),
    ):
        sys.stderr.write("100 %")  # a progress bar
        raise error
    assert capsys.readouterr().err == ""


def test_the_embedder_of_searches_is_set_up_once(tmp_path, monkeypatch):
    pytest.importorskip("numpy", reason="the extra search is not installed")
    monkeypatch.setattr("platformdirs.user_config_path", lambda _: tmp_path / "config")
    monkeypatch.delenv("DOCXCHUNK_EMBEDDER", raising=False)
    assert loading.chosen_embedder() == ""
    with pytest.raises(UsageError):
        loading.set_up_embedder("hashes")
    loading.set_up_embedder("hashing")
    assert loading.chosen_embedder() == "hashing"
    monkeypatch.setenv("DOCXCHUNK_EMBEDDER", "other")
    assert loading.chosen_embedder() == "other"
    monkeypatch.delenv("DOCXCHUNK_EMBEDDER")
    loading.set_up_embedder("none")
    assert loading.chosen_embedder() == ""


def test_a_model_on_a_server_embeds_in_the_order_of_the_texts(monkeypatch):
    openai = pytest.importorskip("openai", reason="the extra api is not installed")
    asked = []

    def create(model, input):  # noqa: A002 - the name that openai gives it
        asked.append((model, input))
        answers = [SimpleNamespace(index=n, embedding=[n, 1.0]) for n in range(len(input))]
        return SimpleNamespace(data=answers[::-1], usage=None)

    client = SimpleNamespace(embeddings=SimpleNamespace(create=create))
    monkeypatch.setattr(openai, "OpenAI", lambda **_: client)
    choice = ModelChoice("http://localhost:1/v1#e5-small", cache=False)
    embedder = models(choice, ("embedder",)).embedder
    vectors = embedder.embed([f"text {n}" for n in range(70)])
    assert [len(texts) for _, texts in asked] == [64, 6]
    assert vectors[1] == pytest.approx([2**-0.5] * 2)
    assert prompts(embedder) == ("passage: ", "query: ")
    with pytest.raises(UsageError, match="say which model embeds"):
        models(ModelChoice("http://localhost:1/v1"), ("embedder",))

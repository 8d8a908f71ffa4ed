"""Dequantized weights are saved atomically; a folder that cannot be written is only a warning."""

from __future__ import annotations

import logging

import pytest

pytest.importorskip("transformers", reason="the extra llm is not installed")

from lab.models.tiny_models import qwen2, tokenizer

from docxchunk.backends.loading import is_unpacked, keep_unpacked, unpacked_folder


def test_the_cache_folder_depends_on_content_and_dtype(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "cache"))
    for name, data in (("a.gguf", b"one"), ("b.gguf", b"one"), ("c.gguf", b"two")):
        (tmp_path / name).write_bytes(data)
    same, renamed, other = (
        unpacked_folder(tmp_path / name, "float32") for name in ("a.gguf", "b.gguf", "c.gguf")
    )
    assert same == renamed != other
    assert same != unpacked_folder(tmp_path / "a.gguf", "bfloat16")
    assert same.parent == tmp_path / "cache" / "gguf"


def test_weights_are_saved_atomically(tmp_path, caplog, monkeypatch):
    folder = tmp_path / "gguf" / "one"
    broken = tokenizer()
    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING, "docxchunk"):
        patched.setattr(
            type(broken),
            "save_pretrained",
            lambda *_: (_ for _ in ()).throw(OSError("No space left on device")),
        )
        keep_unpacked(qwen2(), broken, folder)
    assert "No space left on device" in caplog.text
    assert list((tmp_path / "gguf").iterdir()) == []
    keep_unpacked(qwen2(), tokenizer(), folder)
    assert is_unpacked(folder)
    keep_unpacked(qwen2(), tokenizer(), folder)  # another process was faster
    assert [path.name for path in (tmp_path / "gguf").iterdir()] == ["one"]
    (tmp_path / "file").write_text("")
    keep_unpacked(qwen2(), tokenizer(), tmp_path / "file" / "gguf" / "one")
    assert "cannot be kept" in caplog.text

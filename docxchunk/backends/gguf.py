"""Cache the dequantized weights of a .gguf file on disk: dequantizing is much slower than reading."""

from __future__ import annotations

import logging
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from docxchunk.backends.cache import cache_folder
from docxchunk.backends.model_folders import content_hash

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_LOG: Final = logging.getLogger(__name__)


def unpacked_folder(file: Path, numbers: str) -> Path:
    """Return the cache folder for the weights of a file in a dtype such as "float32". Its name is a hash of the file's bytes; it may be deleted."""
    return cache_folder() / "gguf" / f"{content_hash(file)[:32]}-{numbers}"


def is_unpacked(folder: Path) -> bool:
    return (folder / "config.json").is_file()


def keep_unpacked(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Save model and tokenizer in the folder, atomically. On failure, log a warning; the file is then dequantized again the next time."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=folder.parent))
    except OSError as error:
        _LOG.warning("The weights cannot be kept at %s (%s).", folder, error)
        return
    try:
        _mark_plain(model)
        model.save_pretrained(made)
        tokenizer.save_pretrained(made)
        made.rename(folder)
    except Exception as error:  # noqa: BLE001 - a full disk, a concurrent process, any error of the libraries: the model is usable without the cache
        if not is_unpacked(folder):
            _LOG.warning("The weights cannot be kept at %s (%s).", folder, error)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _mark_plain(model: PreTrainedModel) -> None:
    """Remove the quantization config: the weights are dequantized, but `save_pretrained` refuses a model that has one."""
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config

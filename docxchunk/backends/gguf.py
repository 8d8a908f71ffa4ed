"""The weights of a .gguf file, unpacked once into the cache folder of the user: dequantising them costs far more than reading them again."""

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
    """Where the weights of a file go, in numbers such as "float32": told by the bytes of the file. It takes 2 or 4 bytes a weight, and may be deleted."""
    return cache_folder() / "gguf" / f"{content_hash(file)[:32]}-{numbers}"


def is_unpacked(folder: Path) -> bool:
    return (folder / "config.json").is_file()


def keep_unpacked(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Writes both into the folder: whole, or not at all. Where that cannot be done, a warning says so, and the file is unpacked again the next time."""
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
    except Exception as error:  # noqa: BLE001 - a full disk, another process that was faster, whatever the libraries raise: the model is loaded all the same
        if not is_unpacked(folder):
            _LOG.warning("The weights cannot be kept at %s (%s).", folder, error)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _mark_plain(model: PreTrainedModel) -> None:
    """Take from the model the mark of its quantised file: its weights are plain numbers by now, but transformers writes no model that has the mark."""
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config

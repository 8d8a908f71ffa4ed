"""Language models to measure the speed of a machine with: random weights in the shapes of real
models, or the model in a folder.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import torch

from docxchunk.backends.local_models import device_named, loading, model_folder
from docxchunk.errors import UsageError
from docxchunk.lab.bench.models import operations_a_token, peak_rate
from docxchunk.lab.models.causal_lm import (
    CausalScorer,
    Local,
    LocalCompleter,
    Windows,
    local_model,
    precision,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


class ModelShape(NamedTuple):
    """The dimensions of a Qwen2.5 model."""

    layers: int
    width: int
    inner: int
    heads: int
    shared: int  # key-value heads
    vocabulary: int


SHAPES: Final = {
    "tiny": ModelShape(2, 64, 128, 4, 2, 2048),
    "0.5B": ModelShape(24, 896, 4864, 14, 2, 151936),
    "7B": ModelShape(28, 3584, 18944, 28, 4, 152064),
}
_POSITIONS: Final = 32768
_WINDOW: Final = {"cpu": 2048, "cuda": 16384}
_ROW: Final = 2048  # tokens; in longer rows, attention takes much of the time


def random_model(shape: str, device: str, numbers: str = "", seed: int = 7) -> PreTrainedModel:
    """Return the model on a device ("meta" allocates no memory) in a dtype such as "float32"; by
    default, the dtype of loaded models. Raise UsageError.
    """
    from transformers import Qwen2Config, Qwen2ForCausalLM

    if shape not in SHAPES:
        raise UsageError(f"There is no shape {shape!r}; there are {', '.join(SHAPES)}.")
    made = SHAPES[shape]
    config = Qwen2Config(
        vocab_size=made.vocabulary,
        hidden_size=made.width,
        intermediate_size=made.inner,
        num_hidden_layers=made.layers,
        num_attention_heads=made.heads,
        num_key_value_heads=made.shared,
        max_position_embeddings=_POSITIONS,
        tie_word_embeddings=shape != "7B",
        initializer_range=0.02,
        eos_token_id=0,
    )
    where = torch.device(device) if device == "meta" else device_named(device)
    dtype = (
        getattr(torch, numbers)
        if numbers
        else torch.float32
        if device == "meta"
        else precision(where)
    )
    before = torch.get_default_dtype()
    torch.manual_seed(seed)
    torch.set_default_dtype(dtype)
    try:
        with where:
            return Qwen2ForCausalLM(config).eval()
    finally:
        torch.set_default_dtype(before)


def random_local(shape: str, device: str, texts: Sequence[str], numbers: str = "") -> Local:
    """Return a random model with a byte-pair tokenizer trained on the texts. Raise ModelError if
    memory does not suffice.
    """
    with loading(f"random weights of {shape}"):
        model = random_model(shape, device, numbers)
    model.generation_config.eos_token_id = 0
    return Local(model, _tokenizer(texts), f"random {shape}", f"random:{shape}:{numbers}")


def check_shape(name: str) -> None:
    """Raise MissingModelError if there is neither a shape nor a model of that name."""
    if name not in SHAPES:
        model_folder(name, "config.json", "transformers model")


def local_of(name: str, device: str, texts: Sequence[str]) -> Local:
    """Return the random model for the name of a shape, or the model in a folder.
    Raise MissingModelError or ModelError.
    """
    return random_local(name, device, texts) if name in SHAPES else local_model(name, device)


def in_numbers(local: Local, numbers: str) -> Local:
    """Return the model in a dtype such as "float32": itself, or a copy."""
    dtype = getattr(torch, numbers)
    return (
        local
        if local.model.dtype == dtype
        else local._replace(model=copy.deepcopy(local.model).to(dtype))
    )


def scorer_of(local: Local, window: int = 0) -> CausalScorer:
    """Return a scorer with the model; `window` 0: the default of the device."""
    return CausalScorer(local, Windows(window or _WINDOW[local.model.device.type]))


class _ShortCompleter(LocalCompleter):
    """Limit every answer to `longest` tokens: random weights generate no end token."""

    def _max_answer(self, prompt: tuple[int, ...]) -> int:  # noqa: ARG002 - the base class uses it
        return self._longest


def completer_of(local: Local, longest: int) -> LocalCompleter:
    """Return a completer with the model, with answers of at most `longest` tokens."""
    return _ShortCompleter(local, longest)


def prefill_rate(local: Local) -> float:
    """Return tokens per second of forward passes without logits, the best of three. A pass has as
    many rows of 2,048 tokens as fit the window.
    """
    body, where = local.model.base_model, local.model.device
    rows = max(1, _WINDOW[where.type] // _ROW)
    ids = (torch.arange(_ROW, device=where) % 1000 + 1).repeat(rows, 1)
    return float(ids.numel() / min(_seconds(body, ids) for _ in range(3)))


@torch.inference_mode()  # type: ignore[untyped-decorator]
def _seconds(body: torch.nn.Module, ids: torch.Tensor) -> float:
    start = perf_counter()
    body(input_ids=ids, use_cache=False)
    if ids.is_cuda:
        torch.cuda.synchronize()
    return perf_counter() - start


def operations(local: Local) -> int:
    """Return the FLOPs of a token whose logits are computed."""
    return operations_a_token(local.model)


def body_operations(local: Local) -> int:
    """Return the FLOPs of a token without its logits."""
    return operations_a_token(local.model.base_model)


def peak(local: Local) -> float:
    """Return the peak FLOP/s of the device in the dtype of the model."""
    return peak_rate(local.model)


class Machine(NamedTuple):
    """The device. `memory` is GPU memory in bytes, 0 on a CPU; `numbers` is the dtype of models."""

    name: str
    memory: int
    torch: str
    numbers: str


def machine(device: str) -> Machine:
    where = device_named(device)
    numbers = str(precision(where)).removeprefix("torch.")
    if where.type == "cpu":
        return Machine("CPU", 0, torch.__version__, numbers)
    found = torch.cuda.get_device_properties(where)
    return Machine(found.name, found.total_memory, torch.__version__, numbers)


def free_memory() -> None:
    """Return unused GPU memory to the driver; nothing happens on a CPU."""
    torch.cuda.empty_cache()


def memory_taken(work: Callable[[], object]) -> int:
    """Return how many bytes of GPU memory the work takes at its peak."""
    free_memory()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_reserved()
    work()
    return int(torch.cuda.max_memory_reserved() - before)


@contextmanager
def memory_limited(more: int) -> Iterator[Callable[[], int]]:
    """Limit the GPU memory of this process to what it holds and `more` bytes. Yield a function that
    counts the out-of-memory errors since.
    """
    free_memory()
    total = torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory
    errors = _memory_errors()
    torch.cuda.set_per_process_memory_fraction(
        min(1.0, (torch.cuda.memory_reserved() + more) / total)
    )
    try:
        yield lambda: _memory_errors() - errors
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def _memory_errors() -> int:
    return int(torch.cuda.memory_stats().get("num_ooms", 0))


def _tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=1024,
            special_tokens=["<|end|>"],
            initial_alphabet=alphabet,
            show_progress=False,
        ),
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>", pad_token="<|end|>")  # noqa: S106 - not a password

"""Language models with random weights of the shapes of real ones: they know nothing, and cost what real ones cost."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import torch

from docxchunk.backends.causal_lm import CausalScorer, Local, Windows
from docxchunk.backends.devices import device_named, precision
from docxchunk.backends.generation import LocalCompleter
from docxchunk.backends.model_folders import loading
from docxchunk.backends.peak_flops import matmul_rate, operations_a_token
from docxchunk.errors import UsageError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


class Shape(NamedTuple):
    """Of a model as Qwen2.5 has them."""

    layers: int
    width: int
    inner: int
    heads: int
    shared: int  # heads of keys and values
    vocabulary: int


SHAPES: Final = {
    "tiny": Shape(2, 64, 128, 4, 2, 2048),
    "0.5B": Shape(24, 896, 4864, 14, 2, 151936),
    "7B": Shape(28, 3584, 18944, 28, 4, 152064),
}
_POSITIONS: Final = 32768
_WINDOW: Final = {"cpu": 2048, "cuda": 16384}


def random_model(shape: str, device: str, numbers: str = "", seed: int = 7) -> PreTrainedModel:
    """The model on a device, "meta" being one without memory; `numbers` such as "float32", by default those that models are loaded in there."""
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
    dtype = getattr(torch, numbers) if numbers else torch.float32 if device == "meta" else precision(where)
    before = torch.get_default_dtype()
    torch.manual_seed(seed)
    torch.set_default_dtype(dtype)
    try:
        with where:
            return Qwen2ForCausalLM(config).eval()
    finally:
        torch.set_default_dtype(before)


def random_local(shape: str, device: str, texts: Sequence[str], numbers: str = "") -> Local:
    """The model with a byte-pair tokenizer that was trained on the texts. Raises ModelError where there is no memory for it."""
    with loading(f"random weights of {shape}"):
        model = random_model(shape, device, numbers)
    model.generation_config.eos_token_id = 0
    return Local(model, _tokenizer(texts), f"random {shape}", f"random:{shape}:{numbers}")


def scorer_of(local: Local, window: int = 0) -> CausalScorer:
    """What reads with it; `window` 0 is what suits the machine."""
    return CausalScorer(local, Windows(window or _WINDOW[local.model.device.type]))


class _Brief(LocalCompleter):
    """Writes no more than it may, however long the prompt is: random weights never come to an end."""

    def _most(self, prompt: tuple[int, ...]) -> int:  # noqa: ARG002 - as the answers of others depend on it
        return self._longest


def completer_of(local: Local, longest: int) -> LocalCompleter:
    """What writes with it, answers of so many tokens."""
    return _Brief(local, longest)


def prefill_rate(local: Local, tokens: int) -> float:
    """Tokens a second of the bare model, which reads so many at once and makes no logits: the best of three passes."""
    body, where = local.model.base_model, local.model.device
    ids = torch.arange(tokens, device=where)[None] % 1000 + 1
    return float(tokens / min(_seconds(body, ids) for _ in range(3)))


@torch.inference_mode()  # type: ignore[untyped-decorator]
def _seconds(body: torch.nn.Module, ids: torch.Tensor) -> float:
    start = perf_counter()
    body(input_ids=ids, use_cache=False)
    if ids.is_cuda:
        torch.cuda.synchronize()
    return perf_counter() - start


def operations(local: Local) -> int:
    return operations_a_token(local.model)


def peak(local: Local) -> float:
    """Operations a second of the machine, in the numbers of the model."""
    return float(matmul_rate(local.model.device.type, str(local.model.dtype).removeprefix("torch.")))


class Machine(NamedTuple):
    """What the model computes on. `memory` is that of the graphics card, in bytes; 0 on a processor."""

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


def limit_memory(share: float) -> None:
    """The share of the graphics card's memory that this process may take."""
    torch.cuda.set_per_process_memory_fraction(share)


def memory_share(device: str) -> float:
    """The share of the memory of the card that is taken by what is loaded now."""
    where = device_named(device)
    torch.cuda.empty_cache()
    return float(torch.cuda.memory_reserved(where) / torch.cuda.get_device_properties(where).total_memory)


def _tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=1024, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False))
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>", pad_token="<|end|>")  # noqa: S106 - the name of a token

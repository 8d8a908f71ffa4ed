"""Small language models with random weights, for tests of the computation."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra llm is not installed")
transformers = pytest.importorskip("transformers", reason="the extra llm is not installed")

from docxchunk.backends.language_models.causal_lm import CausalScorer, Local, Windows  # noqa: E402 - after what it needs

torch.set_num_threads(1)

FIXTURES = Path(__file__).parents[3] / "fixtures"
ENDS = ("<|endoftext|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content "
    "}}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@cache
def our_text() -> str:
    """Return the text of the test documents."""
    return "\n".join(
        path.read_text("utf-8") for path in sorted((FIXTURES / "sources").glob("*.txt"))
    )


@cache
def tokenizer(template: str = TEMPLATE):
    """Return a byte-level BPE tokenizer of 1,024 tokens, trained on the test documents."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    special = [*ENDS, "<|im_start|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        [our_text()],
        trainers.BpeTrainer(
            vocab_size=1024, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        ),
    )
    found = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=ENDS[0], pad_token=ENDS[0]
    )
    found.chat_template = template or None
    return found


@cache
def qwen2(positions: int = 4096):
    """Return Qwen2 with fixed random weights, large enough for distinct answers."""
    torch.manual_seed(7)
    config = transformers.Qwen2Config(
        vocab_size=1024,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        initializer_range=0.2,
        eos_token_id=tokenizer().convert_tokens_to_ids(ENDS[0]),
    )
    model = transformers.Qwen2ForCausalLM(config).eval()
    model.generation_config.eos_token_id = tokenizer().convert_tokens_to_ids(list(ENDS))
    return model


def local(dtype=torch.float32, template: str = TEMPLATE, model=None) -> Local:
    return Local(copy.deepcopy(model or qwen2()).to(dtype), tokenizer(template), "tiny", "sha256:0")


def scorer(
    dtype=torch.float32,
    windows: Windows = Windows(),  # noqa: B008 - a value
    template: str = TEMPLATE,
    model=None,
) -> CausalScorer:
    return CausalScorer(local(dtype, template, model), windows)


def saved(folder: Path) -> Path:
    """A folder as `save_pretrained` writes it."""
    qwen2().to(torch.float32).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    assert json.loads((folder / "generation_config.json").read_text())["eos_token_id"]
    return folder

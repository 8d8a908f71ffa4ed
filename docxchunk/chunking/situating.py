"""Situate chunks: a language model writes a sentence about each chunk's place in its document, to
be indexed with the chunk (contextual retrieval).

The parts of a prompt that most chunks share come first. So a server that caches prefixes reads the
outline once per document.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from docxchunk.chunking.assembler import shortened
from docxchunk.chunking.models import CheckedCompleter, OnAnswer, ignore_answer, situation_model
from docxchunk.chunking.strategy import Cost
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.ports import Count, Models, Tokenizer
from docxchunk.model.wording import Wording

log = logging.getLogger("docxchunk.chunking")

LONGEST: Final = 100
"""The maximum length of a situation, in tokens. A longer one is cut after a word."""

SURROUNDINGS: Final = 2000
"""The maximum length of the outline and the section in a prompt, in tokens; less if the context
window of the model is known and smaller.
"""

_SEAMS: Final = 16  # tokens that joining the parts of a prompt may add

_PROMPT: Final = Wording(
    "Below are the outline of a document, the section that a chunk of it is from, and "
    "the chunk. Write one short sentence that situates the chunk in the "
    "document, so that a search finds it: name the document, and the subject, party or "
    "period that the chunk is about but does not name itself. Add nothing "
    "that the document does not say, and write in the language of the chunk.\nAnswer "
    "with the sentence and nothing else.\n\n"
    "Document: {title}\n\nOutline:\n{outline}\n\nSection: {path}\n{section}\n\nChunk:\n{chunk}",
    "下面是一份文档的目录、其中一个片段所在的章节，以及该片段。请写一个简短的句子，说明这个片段在文档中的位置，以便检索时能够找到它："
    "指出文档是什么，以及片段所讲的、但片段本身没有写明的主题、主体或时期。不要添加文档中没有的内容，并使用片段的语言。\n只回答这个句子，不要输出任何其他文字。\n\n"
    "文档：{title}\n\n目录：\n{outline}\n\n章节：{path}\n{section}\n\n片段：\n{chunk}",
)


class Situated(NamedTuple):
    """The chunks with their situations. `notes` are sentences about chunks for which the model gave
    none.
    """

    chunks: tuple[Chunk, ...]
    notes: tuple[str, ...]


class Situating(NamedTuple):
    """How chunks are situated: `embed_text` has at most `max_tokens` tokens of the tokenizer. If
    `max_tokens` is None, only the situation is limited.
    """

    tokenizer: Tokenizer
    max_tokens: int | None = None

    def situated(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        models: Models,
        on_answer: OnAnswer = ignore_answer,
    ) -> Situated:
        """Return the chunks, each with its `situation`, and a note if the model wrote none for some
        of them. A situation is "" if the model wrote none, or if there is no room for it.
        Raise MissingModelError without a model, and ModelError if the model fails.
        """
        completer = CheckedCompleter(situation_model(models), "situate", on_answer)
        prompts = _prompts(document, chunks, completer, self.tokenizer)
        answers = [_one_line(answer) for answer in completer.complete(prompts)] if prompts else []
        missing = sum(not answer for answer in answers)
        notes = (
            (f"The model gave no sentence to situate {missing} of {len(chunks)} chunks.",)
            if missing
            else ()
        )
        for note in notes:
            log.info("%s: %s", document.name, note)
        pairs = zip(chunks, answers, strict=True)
        return Situated(tuple(self._with_situation(chunk, text) for chunk, text in pairs), notes)

    def _with_situation(self, chunk: Chunk, text: str) -> Chunk:
        count, max_tokens = self.tokenizer.count, self.max_tokens

        def fits(situation: str) -> bool:
            return count(situation) <= LONGEST and (
                max_tokens is None
                or count(replace(chunk, situation=situation).embed_text) <= max_tokens
            )

        return replace(chunk, situation=shortened(text, fits, LONGEST))


def cost_of_situating(max_tokens: int) -> Cost:
    """Return what situating costs. The model reads each chunk, of `max_tokens` tokens, once with
    its surroundings.
    """
    return Cost("completer", round(1 + SURROUNDINGS / max_tokens, 1))


def _one_line(answer: str) -> str:
    return " ".join(answer.encode("utf-8", "replace").decode().split())


def _prompts(
    document: Document, chunks: Sequence[Chunk], completer: CheckedCompleter, tokenizer: Tokenizer
) -> list[str]:
    """Return a prompt for each chunk. The instruction and the chunk are always whole; outline and
    section are cut to fit.
    """
    contents = {block.id: block.content for block in document.blocks}
    bare = [_prompt(document, chunk, "", "") for chunk in chunks]
    count, room = _room(bare, completer, tokenizer)
    outline = _outline(document, count, room // 4)
    section_room = room - count(outline)
    sections = {
        blocks: _cut("\n\n".join(contents.get(name, "") for name in blocks), count, section_room)
        for blocks in {chunk.blocks for chunk in chunks}
    }
    return [
        _prompt(
            document,
            chunk,
            outline,
            section if (section := sections[chunk.blocks]) != chunk.content else "",
        )
        for chunk in chunks
    ]


def _prompt(document: Document, chunk: Chunk, outline: str, section: str) -> str:
    title = document.title or document.name
    return _PROMPT.for_text(chunk.content).format(
        title=title, outline=outline, path=chunk.context, section=section, chunk=chunk.content
    )


def _room(
    bare: Sequence[str], completer: CheckedCompleter, tokenizer: Tokenizer
) -> tuple[Count, int]:
    """Return a function that counts tokens, and the number of tokens that are left for the outline
    and the section together. `bare` are the prompts without both; the longest one counts.
    """
    window, count = completer.window, completer.count
    if window is None or count is None:
        return tokenizer.count, SURROUNDINGS
    return count, min(SURROUNDINGS, max(0, window - max(map(count, bare), default=0) - _SEAMS))


def _outline(document: Document, count: Count, room: int) -> str:
    """Return the headings, one per line and indented by level, without the deepest levels if they
    do not fit.
    """
    headings = list(
        dict.fromkeys(
            (block.level, block.heading)
            for block in document.blocks
            if block.level and block.heading.strip()
        )
    )
    text = ""
    for deepest in sorted({level for level, _ in headings}, reverse=True):
        text = "\n".join(
            "  " * (level - 1) + heading for level, heading in headings if level <= deepest
        )
        if count(text) <= room:
            return text
    return _cut(text, count, room)


def _cut(text: str, count: Count, room: int) -> str:
    return shortened(text, lambda part: count(part) <= room, room)

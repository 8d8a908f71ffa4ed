"""The names of places, and the places that a name means.

A place has these names: its number as the document prints it, "8.2", "8.2(a)", "Annex B"; its
heading, or the first cell of its row; its number or heading after those above it, "Annex B > 2.1";
the caption of a table, or its beginning, "Table 3"; the number of its section, "#12"; the beginning
of the id of its block; and a citation of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, islice, takewhile
from typing import Final, NamedTuple

from docxchunk.content.citations import THROUGH, read_citation
from docxchunk.content.tags import plain
from docxchunk.errors import UnknownNameError, UsageError
from docxchunk.language.folding import alike, composed
from docxchunk.language.labels import (
    Step,
    arabic_number,
    fits,
    has_division,
    is_of_annex,
    is_of_body,
    is_of_part,
    may_contain,
    meanings,
    normal,
    normal_without_word,
    steps_of,
    without_word,
)
from docxchunk.language.patterns import pattern
from docxchunk.model.caching import cached_method
from docxchunk.model.fields import expect, nearest
from docxchunk.model.wording import shortened
from docxchunk.retrieval.finding.captions import captioned
from docxchunk.retrieval.finding.numbers import (
    is_number_alone,
    is_subordinate,
    number_length,
    own_number,
)
from docxchunk.retrieval.finding.places import Place, Places

NO_TEXT: Final = "{} has no text."
LONGEST_HEADING: Final = 60  # characters of a heading in an outline or citation
_LONGEST_NAME: Final = 1000  # characters
_MOST_CUT: Final = 100  # headings that begin with the same words
_LEAST_ID: Final = 4  # characters of the beginning of an id
_MOST_NAMES: Final = 8  # in a message
_MOST_NEAR: Final = 3  # in a message
_SECTION: Final = re.compile(r"(?<!\S)#(\d{1,9})$", re.ASCII)
# "#-1", "#1e3", "-1": no number of a section, although it has one in it
_NO_NUMBER: Final = re.compile(r"(?<!\w)#(?!\d{1,9}$)|(?<!\S)[\[(]?[-−+]+\d", re.ASCII)
_GOES_ON: Final = re.compile(r"\w|[-.]\d")  # a number
# "Schedule 1, 2.1", "Annex B Part 2 (a)"
_NUMBER_AFTER: Final = pattern(r"(?P<part>\w+(?<!s)\s.*\w),?\s+(?P<number>[\d(][\w.()]*)")
_MOST_WORDS: Final = 40  # of a name with numbers after a part: each is looked up below the others
_DIGITS_FIRST: Final = pattern(r"\d{1,9}(?:\.\w{1,9})*", re.ASCII)


_Indexes = dict[str, list[int]]
"""The indexes of places by a name or number in normal form."""


class _ByNumber(NamedTuple):
    """The indices of the places with a number, by its normal form.

    - `full`: by the full number, "section8.2.a".
    - `bare`: by the full number without a word such as "Section", "8.2.a".
    - `own`: by the number of their line, "a".
    """

    full: _Indexes
    bare: _Indexes
    own: _Indexes


class _Reached(NamedTuple):
    """A place that the steps of a label lead to, and the places that the label means: those below
    the place, or one of its paragraphs without a number.
    """

    at: int
    region: range


class NamedPlaces(Places):
    """The places of a document, by name.

    | method | is given | returns |
    |---|---|---|
    | `resolved` | a name | the place that it means, or raises what there is in its place |
    | `region_of` | a name | the same, with all that is below the place |
    | `chosen` | a name | the places that it most likely means: sections first |
    | `named` | a name | all places that it may mean |
    | `cited` | a citation | the places that it names |
    | `in_path` | the path of a citation | the places in the section or sections of the path |
    | `with_number` | a number | the places with this full number |
    | `numbered_below` | a number, a section | the places below it with this number |
    | `name` | a place | a name that means this place only |
    | `path`, `path_of` | a place, a region | the path of its citation |
    | `section_name`, `title` | a block | what an outline calls it |
    """

    @cached_method
    def section_name(self, block: int) -> str:
        """Return the name of a section: the number or words of its title if they are unique, else
        "#12".
        """
        full, at = self.numbers[block], self.heads.get(block)
        printed = full if self.title(block).startswith(full) else ""
        names = (printed, self.blocks[block].heading)
        return next((name for name in names if self._first_sections(name) == [at]), f"#{block + 1}")

    def title(self, block: int) -> str:
        """Return the heading of a block. A number such as "(a)" is replaced by the full number. If
        the heading has no words, return the number.
        """
        heading, number = self.blocks[block].heading.rstrip(".:： "), self.numbers[block]
        if is_number_alone(self.blocks[block]):
            return number or heading
        label = own_number(self.blocks[block])
        if number and is_subordinate(label):
            return f"{number} {heading.removeprefix(label).strip()}"
        return heading

    def path(self, place: Place) -> list[str]:
        """Return the path of a place: the titles above it, then the number of the clause. The path
        begins with the nearest section whose number is unique; in an annex, where numbers begin
        again, with the annex.
        """
        path = [place.number] if place.depth and place.number else []
        above = (place.block, *self.ancestors(place.block))
        annex = next((block for block in above if self._is_annex(block)), -1)
        for at, block in enumerate(above):
            title = self.title(block)
            numbers_begin_again = is_of_annex(title) or is_of_part(title)
            is_missing = numbers_begin_again and path and not path[0].startswith(title)
            if is_number_alone(self.blocks[block]) and not is_missing:
                path = path or [title]
                continue
            if title:
                path.insert(0, shortened(title, LONGEST_HEADING))
            number = self.numbers[block]
            is_unique = number and self.section_name(block) == number
            if is_unique and annex not in above[at + 1 :]:
                break
        return path

    def path_of(self, region: range) -> str:
        """Return the path of the first place of a region: "2 Rent > 2.1". If the last place does
        not belong to the first, the number of the last follows: "2 Rent > 2.1 through 2.3". A note
        belongs to the place with its mark.
        """
        indexes = sorted({self.anchors.get(index, index) for index in region})
        first = self.all[indexes[0]]
        path = self.path(first)
        belonging = (
            self.region(indexes[0])
            if first.number
            else self.of_blocks(first.block, self.ends[first.block])
        )
        after = (self.all[index] for index in reversed(indexes) if index >= belonging.stop)
        last = next((place for place in after if place.number or place.depth == 0), None)
        if last is None:
            return " > ".join(path)
        end = self.path(last)
        shared = next(
            (at for at, pair in enumerate(zip(path, end, strict=False)) if pair[0] != pair[1]),
            min(len(path), len(end) - 1),
        )
        return THROUGH.join(filter(None, (" > ".join(path), " > ".join(end[shared:]))))

    @cached_method
    def _first_sections(self, name: str) -> list[int]:
        """Return the first sections, at most two, that a name means: it is unique if it has one."""
        sections = (at for at in self._candidates(name) if self.all[at].depth == 0)
        return list(islice(sections, 2))

    def name(self, index: int) -> str:
        """Return a unique name of a place: the names of its section and of its clause or, if these
        name several places, its paragraph number.
        """
        place = self.all[index]
        name = self.section_name(place.block)
        if place.depth and place.number:
            name = f"{name} > {place.number}"
        paragraph = f"¶ {self._paragraphs[index]}"
        unique = (text for text in (name, paragraph) if self.named(text) == [index])
        return next(unique, name)

    def _introduced(self, index: int, name: str = "") -> str:
        """Return a name of a place in quotation marks, with its title or its first words."""
        place, name = self.all[index], name or self.name(index)
        about = place.text if place.depth else " > ".join(self.path(place))
        description = "" if about == name else f" ({shortened(about, LONGEST_HEADING)})"
        return f"{name!r}{description}"

    def resolved(self, name: str) -> int:
        """Return the index of the place with a name. If several have it, return the section among
        them. But for "[2]", return the reference with this label, not section 2. Raise
        UnknownNameError if there is no place, UsageError if there are several.
        """
        chosen = self.chosen(name)
        if len(chosen) == 1:
            return chosen[0]
        if not chosen:
            document = self.document.name
            if like_named := self._of_other_kind(name):
                raise UnknownNameError(f"{document} has no {name!r}, but {', '.join(like_named)}.")
            raise UnknownNameError(
                f"{document} has no section or clause {name!r}: {self._instead_of(name)}."
                if self.all
                else NO_TEXT.format(document)
            )
        names = ", ".join(map(self._introduced, chosen[:_MOST_NAMES]))
        ellipsis = ", …" if len(chosen) > _MOST_NAMES else ""
        raise UsageError(
            f"{name!r} is the name of {len(chosen)} places in {self.document.name}: give one of "
            f"{names}{ellipsis}."
        )

    def _instead_of(self, name: str) -> str:
        """Return, in words, what the document has in place of a name that no place has."""
        numbers, is_between = self._numbers_near(name)
        if numbers and not is_between:
            if not numbers[1:]:
                return f"the only section with a number is {numbers[0]!r}"
            return f"its sections go from {' to '.join(map(repr, numbers))}"
        word = f"{_plain_heading(name).partition(' ')[0]} "
        captions = [text for key, text, _ in self._captions if key.startswith(word)][:_MOST_NEAR]
        if captions:
            shown = (repr(shortened(caption, LONGEST_HEADING)) for caption in captions)
            return f"it has {', '.join(shown)}"
        near = list(map(repr, numbers or self._headings_near(name)))
        verb = "is" if len(near) == 1 else "are"
        return f"the nearest {verb} {' and '.join(near)}" if near else "see its outline"

    def _of_other_kind(self, name: str) -> list[str]:
        """Return the names of the places that have the number of a name, but are of another kind:
        "recital 13" for "Clause 13".
        """
        number = without_word(name)
        indexes = self.named(number) if number != name else []
        recital = f"recital {number}"
        recitals = self.named(recital) if indexes else []
        return [
            self._introduced(index, recital if recitals == [index] else "")
            for index in indexes[:_MOST_NEAR]
        ]

    def chosen(self, name: str) -> list[int]:
        """Return the indexes of the places that a name most likely means: the sections among those
        that it may mean, if there are any. Raise UsageError for a name that is too long.
        """
        if len(expect("name", name, str)) > _LONGEST_NAME:
            raise UsageError(f"A name has at most {_LONGEST_NAME:,} characters.")
        candidates = self.named(name)
        if name.startswith("["):
            references = [index for index, place in enumerate(self.all) if place.label == name]
            candidates = references or candidates
        return [index for index in candidates if self.all[index].depth == 0] or candidates

    def _numbers_near(self, name: str) -> tuple[list[str], bool]:
        """Return the numbers before and after a number that the document does not have, and True.
        The numbers are those of its section or, if there is no such section, those of the highest
        sections. If the number is before or after all of these, return the first and the last of
        them, and False. For a name that is not a number, return [] and True.
        """
        number = normal_without_word(name)
        if not _DIGITS_FIRST.fullmatch(number):
            return [], True
        numbers = self._by_number.bare
        neighbours = sorted(filter(_DIGITS_FIRST.fullmatch, numbers), key=_order)
        first = _order(number)[0]
        in_section = [key for key in neighbours if _order(key)[0] == first]
        heads = {key: self.all[numbers[key][0]] for key in neighbours}
        sections = [key for key, head in heads.items() if head.depth == 0]
        highest = [key for key in sections if self.parents[heads[key].block] < 0]
        neighbours = in_section or highest or sections
        at = bisect_left(neighbours, _order(number), key=_order)
        is_between = bool(in_section) or 0 < at < len(neighbours)
        chosen = neighbours[max(at - 1, 0) : at + 1] if is_between else neighbours
        shown = [self.all[numbers[key][0]].number for key in chosen]
        return (shown if is_between else [*shown[:1], *shown[1:][-1:]]), is_between

    def _headings_near(self, name: str) -> list[str]:
        """Return the title of the section whose heading is spelled like a name; if there is none,
        the titles of the first sections whose headings contain the name.
        """
        plain = _plain_heading(name)
        like = nearest(plain, self._by_heading)
        having = (heading for heading in self._by_heading if f" {plain} " in f" {heading} ")
        headings = [like] if like else list(having) if plain else []
        titles = (self.title(self.all[self._by_heading[heading][0]].block) for heading in headings)
        return list(dict.fromkeys(titles))[:_MOST_NEAR]

    def region_of(self, name: str) -> range:
        """Return the places that a name means: a section or clause with what is below it, or the
        paragraphs of a citation. Raise UsageError if there is none, or several.
        """
        index = self.resolved(name)
        plain = " ".join(composed(name).split())
        if (block := self._block_named(plain)) is not None:
            return self.of_blocks(block, self.ends[block])
        captions = self._with_caption(_plain_heading(plain))
        if table := next((caption for caption in captions if caption.start == index), None):
            return table
        cited = None if self._candidates(plain) else read_citation(plain, self.document.name)
        if cited and (cited.paragraphs or cited.row or THROUGH in cited.path):
            places = self.cited(cited.path, cited.paragraphs, cited.row)
            places = [index for index in places if index not in self.anchors] or places
            if len(places) > 1:
                return range(min(places), max(places) + 1)
        return self.region(index)

    def _with_caption(self, beginning: str) -> list[range]:
        """Return the places of the tables and other captions that are or begin with these words:
        "table 3", but not "table 3.1" and "table 30".
        """
        return [
            region
            for caption, _, region in self._captions
            if caption.startswith(beginning) and not _GOES_ON.match(caption, len(beginning))
        ]

    @cached_property
    def _captions(self) -> list[tuple[str, str, range]]:
        """The captions in normal form and as they are, each with its places."""
        return [(_plain_heading(text), text, region) for text, region in captioned(self)]

    def _block_named(self, name: str) -> int | None:
        """Return the index of the block with a name such as "#12"; None for other names."""
        section = _SECTION.search(name)
        if section is None or _plain_heading(name) in self._by_heading:
            return None
        return int(section[1]) - 1

    def named(self, name: str, *, in_citation: bool = False) -> list[int]:
        """Return the indexes of the places that a name may mean. "Clause 2.1" is one of an annex
        only if there is no other. A name `in_citation` is a part of one, and no citation itself.
        """
        candidates = self._named(name, in_citation=in_citation)
        if len(candidates) > 1 and is_of_body(name):
            return [index for index in candidates if not self._is_in_annex(index)] or candidates
        return candidates

    def _is_in_annex(self, index: int) -> bool:
        block = self.all[index].block
        return any(map(self._is_annex, (block, *self.ancestors(block))))

    def _is_annex(self, block: int) -> bool:
        return is_of_annex(self.numbers[block] or self.blocks[block].heading)

    def _named(self, name: str, *, in_citation: bool) -> list[int]:
        """Return the indexes of the places that a name may mean, in the whole document."""
        plain = " ".join(composed(name).split())
        if (block := self._block_named(plain)) is not None:
            return [self.heads[block]] if block in self.heads else []
        steps = [] if self._has_no_number(plain) else steps_of(plain)
        candidates = self._by_steps(steps) if len(steps) > 1 else []
        if candidates := candidates or self._candidates(plain) or self._by_steps(steps):
            return candidates
        if not in_citation and (cited := read_citation(plain, self.document.name)):
            return self.cited(cited.path, cited.paragraphs, cited.row)[:1]
        *above, last = plain.split(" > ")
        if not above:
            return self._numbered_after(plain)
        candidates = self._named(last, in_citation=True)
        for element in above:
            heads = self._named(element, in_citation=True)
            blocks = {self.all[index].block for index in heads}
            below = [
                index
                for index in candidates
                if self.all[index].block in blocks
                or not blocks.isdisjoint(self.ancestors(self.all[index].block))
            ]
            # after the title of a part of the same level
            parts = [head for head in heads if not self.all[head].number]
            after = (candidates[bisect_right(candidates, head) :][:1] for head in parts[:1])
            candidates = below or next(after, [])
        return candidates

    def _numbered_after(self, name: str) -> list[int]:
        """Return the places that a name such as "Schedule 1, 2.1" means: those with the last number
        below the annex or part.
        """
        match = _NUMBER_AFTER.fullmatch(name)
        if match is None or len(name.split()) > _MOST_WORDS:
            return []
        if not (is_of_annex(name) or is_of_part(name)):
            return []
        keys = (normal(match["number"]),)
        parts = self._named(match["part"], in_citation=True)
        return [index for part in parts for index in self.numbered_below(part, keys)]

    def cited(self, path: str, paragraphs: Sequence[tuple[int, int]], row: int = 0) -> list[int]:
        """Return the places that a citation names: the places of its paragraphs that are in the
        section of its path. If there are none, return the places of its path. If there are none,
        either, return the places of its paragraphs. Of these, return those that are its row.
        """
        in_path = self.in_path(path)
        listed = self.with_notes(self.in_paragraphs(paragraphs))
        path_places = set(in_path)
        listed_in_path = [index for index in listed if index in path_places]
        chosen = listed_in_path or in_path or listed
        rows = [
            index for index in chosen if self.all[index].table and self.all[index].row + 1 == row
        ]
        return rows or chosen

    def in_path(self, path: str) -> list[int]:
        """Return the places that belong to the section of a citation, "2 Aims", or to several, "2
        Aims through 3 Results"; [] if there are none.
        """
        if not path:
            return []
        for through in reversed(list(re.finditer(THROUGH, path))):
            first, last = path[: through.start()], path[through.end() :]
            ends = self.named(last, in_citation=True)
            starts: dict[int, int] = {}  # the first one for each end
            for start in self.named(first, in_citation=True):
                if (number := bisect_left(ends, start)) < len(ends):
                    starts.setdefault(ends[number], start)
            indices = {
                index
                for end, start in starts.items()
                for index in range(start, self.region(end).stop)
            }
            if indices:
                return self.with_notes(indices)
        named = self.named(path, in_citation=True)
        steps = steps_of(path)
        reached = self._reached(steps) if len(steps) > 1 else []
        regions = [part.region for part in reached if part.at in named]
        return self.with_notes(set(chain.from_iterable(regions or map(self.region, named))))

    def _candidates(self, name: str) -> list[int]:
        """Return the places whose number is this name. If there are none, return those whose
        heading it is, the rows whose first cell it is, the tables whose caption begins with it, or
        else those whose block has an id that begins with it.
        """
        if name.lstrip("[").startswith("¶"):  # a citation
            return []
        is_number = not self._has_no_number(name)
        if is_number and (numbered := self._numbered(name, self._by_number)):
            return numbered
        heading = _plain_heading(name)
        if titled := self._by_heading.get(heading) or self._by_row.get(heading):
            return titled
        starting = self._starting_with(heading)
        if len(starting) == 1 or name.endswith("…"):  # a title that was cut
            return starting
        return [caption.start for caption in self._with_caption(heading)] or self._with_id(name)

    def _with_id(self, beginning: str) -> list[int]:
        """Return the sections whose block has an id that begins with a name."""
        if len(beginning) < _LEAST_ID:
            return []
        ids = self._sorted_ids
        first = bisect_left(ids, (beginning, 0))
        after = takewhile(lambda pair: pair[0].startswith(beginning), islice(ids, first, None))
        return sorted(self.heads[block] for _, block in after)

    def _has_no_number(self, name: str) -> bool:
        """Return whether the signs in a name, such as those of "#a" and "-1", show that it is no
        number, unless the document prints it as one.
        """
        return _NO_NUMBER.search(name) is not None and name not in self._printed

    @cached_property
    def _printed(self) -> set[str]:
        """The numbers of the places as the document prints them."""
        return {number for place in self.all for number in (place.number, place.label)}

    def _by_steps(self, steps: list[Step]) -> list[int]:
        """Return the places that the steps of a label lead to: "§ 2 Abs. 1", "Article 2(2)". If the
        paragraphs of a clause have no numbers, and it has enough of them, a paragraph means the
        clause.
        """
        return list(dict.fromkeys(part.at for part in self._reached(steps)))

    def _reached(self, steps: list[Step]) -> list[_Reached]:
        reached = list(map(self._with_all_below, self._first_of(steps[0]) if steps else []))
        for step in steps[1:]:
            is_count = step.is_paragraph and step.keys[-1].isdecimal()
            if is_count and not self._has_numbers_below(reached):
                reached = [
                    part for clause in reached for part in self._paragraphs_of(clause.at, step)
                ]
            else:
                reached = list(map(self._with_all_below, self._numbered_in(reached, step)))
        return reached

    def _with_all_below(self, at: int) -> _Reached:
        return _Reached(at, self.region(at))

    def _paragraphs_of(self, at: int, step: Step) -> list[_Reached]:
        """Return the paragraph that a step such as "Abs. 2" means in a clause whose paragraphs have
        no numbers, with the items below it; [] if the clause has fewer paragraphs. A heading with
        words may be a title or the first paragraph. In languages other than Chinese, the whole
        clause is returned, because it is not clear whether a line after a list is a new paragraph.
        """
        clause, number = self._with_all_below(at), int(step.keys[-1])
        starts = [index for index in clause.region[1:] if not self.all[index].number]
        counts = [starts] if self.all[at].depth == 0 else []
        if self.all[at].depth or not is_number_alone(self.blocks[self.all[at].block]):
            counts.append([at, *starts])
        bounds = [[*count, clause.region.stop][number - 1 : number + 1] for count in counts]
        parts = [_Reached(at, range(*pair)) for pair in bounds if len(pair) > 1]
        return parts if step.text.endswith("款") else parts and [clause]

    def _first_of(self, step: Step) -> list[int]:
        """Return the places of the first step of a label. A recital is before the first section
        with a number.
        """
        if not step.is_recital:
            return self._numbered(step.text, self._by_number)
        sections = (
            index
            for index, place in enumerate(self.all)
            if place.depth == 0 and place.number and not is_subordinate(place.label)
        )
        first = next(sections, len(self.all))
        own = self._by_number.own
        return [index for key in step.keys for index in own.get(key, []) if index < first]

    def _numbered_in(self, heads: list[_Reached], step: Step) -> list[int]:
        """Return the outermost places with the number of a step below some places."""
        _, bare, own = self._by_number
        for key in step.keys:
            below: set[int] = set()
            for at, region in heads:
                number = normal_without_word(self.all[at].number)
                for indexes in (own.get(key, []), bare.get(f"{number}.{key}", [])):
                    below.update(_below(indexes, region))
            if below:
                return self._outermost(below)
        candidates = self._with_arabic_number(step.text)
        return self._outermost(
            index for index in candidates if any(index in region[1:] for _, region in heads)
        )

    def _has_numbers_below(self, heads: list[_Reached]) -> bool:
        """Return whether the outermost clauses below some places have Arabic numbers."""
        return any(
            normal(self.all[index].label)[:1].isdecimal()
            for head in heads
            for index in self._outermost([at for at in head.region[1:] if self.all[at].number])
        )

    def _outermost(self, indexes: Iterable[int]) -> list[int]:
        """Return the places of the least depth, in order."""
        depths = {index: self.all[index].depth for index in sorted(indexes)}
        least = min(depths.values(), default=0)
        return [index for index, depth in depths.items() if depth == least]

    def with_number(self, number: str) -> list[int]:
        """Return the places with a full number; "Section 8.2" means "8.2". That of a part is never
        bare: "Part 2" does not mean "2".
        """
        if is_of_part(number):
            return self._by_number.full.get(normal(number), [])
        return self._numbered(number, (self._by_number.full, self._by_number.bare))

    def numbered_below(self, part: int, keys: Sequence[str], name: str = "") -> list[int]:
        """Return the outermost places, at most two, with a number below a part of the document.
        `keys` are numbers in normal form, which may count from there; the first one that a place
        has decides. With a `name`, "Sec. 2", divisions of this kind come before other places.
        """
        full, bare, own = self._by_number
        number, region = normal(self.all[part].number), self.region(part)

        def below(*lists: list[int]) -> set[int]:
            return {index for indexes in lists for index in _below(indexes, region)}

        divisions = (
            {index for index in below(bare.get(key, [])) if self._is_division(name, index)}
            for key in (keys if has_division(name) else ())
        )
        others = (
            below(own.get(key, []), full.get(key, []), full.get(f"{number}.{key}", []))
            for key in keys
        )
        return self._outermost(next(filter(None, chain(divisions, others)), ()))[:2]

    def _is_division(self, name: str, index: int) -> bool:
        """Return whether a place is a division, or in one, of the kind that a name says."""
        number = self.all[index].number
        return has_division(number) and fits(name, number)

    def _numbered(self, name: str, tables: Sequence[_Indexes]) -> list[int]:
        """Return the places of the first number in one of the tables, among the numbers that a name
        may mean. If several tables have this number, the first one counts. If none has one, return
        the places with this number in other digits: "ARTICLE IV" for "Article 4".
        """
        keyed = ((key, table.get(key, [])) for key in meanings(name) for table in tables)
        matches = (
            [index for index in indexes if self._fits(name, key, self.all[index])]
            if has_division(name)
            else indexes
            for key, indexes in keyed
        )
        return next(filter(None, matches), []) or self._with_arabic_number(name)

    def _with_arabic_number(self, name: str) -> list[int]:
        """Return the places that have the number and the kind of a name in other digits or with
        another word: "ARTICLE IV" for "Art. 4", "Section 3" for "§ 3".
        """
        indexes = self._by_arabic_number.get(arabic_number(name), [])
        return [index for index in indexes if fits(name, self.all[index].label)]

    @cached_property
    def _by_arabic_number(self) -> _Indexes:
        indexes: _Indexes = {}
        for index, place in enumerate(self.all):
            if number := arabic_number(place.label):
                indexes.setdefault(number, []).append(index)
        return indexes

    def _fits(self, name: str, key: str, place: Place) -> bool:
        """Return whether a place is of the kind that the word of a name says, given the normal form
        of their number. A recital "(13)" and an item "13." of a list are no "Clause 13", and no
        item is "§ 13".
        """
        if not fits(name, place.label):
            return False
        if has_division(place.label) or not key[-1:].isdecimal():  # "clause (b)"
            return True
        if place.depth and name.startswith("§"):
            return False
        is_whole = normal_without_word(place.number) == key
        is_outermost = normal(place.number) == normal(place.label)
        if is_subordinate(place.label):
            return (is_whole and not is_outermost) or self._has_only_brackets
        if is_whole:
            return (
                not (is_outermost and key.isdecimal() and place.depth)
                or not self._has_numbered_sections
            )
        return may_contain(place.number, name) or self._continues(place)

    def _continues(self, place: Place) -> bool:
        """Return whether the number of a line follows that of its section, "13." after "12. Law",
        because only some clauses are headings in the file.
        """
        section, number = normal(self.numbers[place.block]), normal(place.label)
        if not (section.isdecimal() and number.isdecimal()):
            return False
        keys = {normal(line.label) for line in self.all if line.block == place.block and line.depth}
        between = int(number) - int(section) - 1
        return (
            section not in keys
            and 0 <= between < len(keys)
            and all(str(int(number) - step) in keys for step in range(1, between + 1))
        )

    @cached_property
    def _has_numbered_sections(self) -> bool:
        """Whether sections of the body have numbers, "2." or "Article 2"."""
        return any(
            place.number and not place.depth and not is_subordinate(place.label)
            for index, place in enumerate(self.all)
            if not self._is_in_annex(index)
        )

    @cached_property
    def _has_only_brackets(self) -> bool:
        """Whether all numbers have brackets, "(1)" or "2)", except those below other numbers and
        those of annexes.
        """
        labels = {place.label for place in self.all if normal(place.number) == normal(place.label)}
        return all(is_subordinate(label) or is_of_annex(label) for label in labels - {""})

    @cached_property
    def _by_number(self) -> _ByNumber:
        by_number = _ByNumber({}, {}, {})
        for index, place in enumerate(self.all):
            if place.number:
                keys = normal(place.number), normal_without_word(place.number), normal(place.label)
                for indices, key in zip(by_number, keys, strict=True):
                    if key:
                        indices.setdefault(key, []).append(index)
        return by_number

    @cached_property
    def _by_heading(self) -> _Indexes:
        """The places by heading, with and without its number."""
        headings: _Indexes = {}
        for index, place in enumerate(self.all):
            if place.depth == 0:
                full = _plain_heading(place.text)
                bare = _plain_heading(place.text[number_length(place.text) :])
                for heading in {full, bare} - {""}:
                    headings.setdefault(heading, []).append(index)
        return headings

    @cached_property
    def _by_row(self) -> _Indexes:
        """The rows of tables by the first cell with words, "Payment Process" on a cover page, and
        by the first cell with letters, "P-03"; header rows only for the names of no other row.
        """
        rows: _Indexes = {}
        headers: _Indexes = {}
        for index, place in enumerate(self.all):
            first, is_beside, _ = place.text.partition(" | ") if place.table else ("", "", "")
            code = first if is_beside and any(map(str.isalpha, first)) else ""
            named = headers if self.is_header(place) else rows
            for name in {*map(_plain_heading, {place.head, code})} - {""}:
                named.setdefault(name, []).append(index)
        return headers | rows

    @cached_property
    def _sorted_ids(self) -> list[tuple[str, int]]:
        """The ids of the blocks that have a place, each with the number of the block."""
        return sorted((self.blocks[block].id, block) for block in self.heads)

    @cached_property
    def _sorted_headings(self) -> list[str]:
        return sorted(self._by_heading)

    def _starting_with(self, beginning: str) -> list[int]:
        """Return the sections whose heading starts with these words. If there are many, return only
        a few.
        """
        headings = self._sorted_headings
        indices: set[int] = set()
        first = bisect_left(headings, beginning) if beginning else len(headings)
        for heading in islice(headings, first, first + _MOST_CUT):
            if not heading.startswith(beginning):
                break
            if not heading[len(beginning) : len(beginning) + 1].isalnum():
                indices.update(self._by_heading[heading])
        return sorted(indices)


def _below(indexes: list[int], region: range) -> list[int]:
    """Return those of some indexes, in order, that are in a region after its first place."""
    return indexes[bisect_right(indexes, region.start) : bisect_left(indexes, region.stop)]


def _order(number: str) -> list[tuple[int, str]]:
    """Return the sort key of a number in normal form: "4.2.a" is before "4.10"."""
    return [(int(part) if part.isdecimal() else 0, part) for part in number.split(".")]


def _plain_heading(text: str) -> str:
    """Return the normal form of a heading: as it is compared, in lower case, without markup and
    without the full stop at its end.
    """
    words = re.sub("-+", "-", alike(plain(text))).split()
    return " ".join(words).strip(" .:").casefold()

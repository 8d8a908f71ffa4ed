"""Tell whether the time of a regular expression may grow by the square of a text, or faster.

It may if a word exists that two repeats of one match can both read on and on, so that the regular
expression is tried with every border between them; or if a repeat reads on and on over text at
which a search begins again (Weber and Seidl 1991, On the degree of ambiguity of finite automata).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

SAMPLES = (
    "".join(map(chr, range(0x180)))
    + "\u0301\u0660\u200b\u2013\u2019\u201c\u201d\u2022\u2026\u3000\u3001\u3002\u300a\u3042\u4e00\u4e8c\u6761\u7b2c\ufe0f\uff08\uff09\uff1a\uac00"
)
_COPIES = 3  # of what is repeated up to a number: enough to go on to what follows
START, END = -1, -2  # beside the classes of characters
_LOOPS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_CHARACTERS = ("LITERAL", "NOT_LITERAL", "IN", "ANY")


class Loop(NamedTuple):
    """An unbounded repeat.

    - `state`: its first state.
    - `atomic`: the atomic groups around it.
    - `match_may_fail`: whether what follows the outermost repeat around it may fail.
    - `round_may_fail`: whether what follows in a round of the repeat around it may fail.
    - `around`, `possessive`: the repeats around it, and those that are possessive, with itself.
    """

    state: int
    atomic: frozenset[int]
    match_may_fail: bool
    round_may_fail: bool
    around: frozenset[int]
    possessive: frozenset[int]


class Edge(NamedTuple):
    """A step to another state: over a character of some classes, or over none. In the latter case,
    the class of the character before must be in `before`, and that of the next one in `after`.
    """

    to: int
    over: frozenset[int] | None = None
    before: frozenset[int] | None = None
    after: frozenset[int] | None = None


class Automaton:
    """The states of a pattern. Of what may not follow, only the first character counts; longer
    assertions about what is before are left out.
    """

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self._flags = pattern.flags
        self.is_bytes = isinstance(pattern.pattern, bytes)
        tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        self._samples = self._samples_of(pattern.pattern)
        self._sets: dict[tuple[str, int], frozenset[str]] = {}
        self._gather(tree, pattern.flags)
        self._class_of = self._classes()
        self.edges: list[list[Edge]] = []
        self.loops: list[Loop] = []
        self._around = self._possessive = self._atomic = frozenset[int]()
        self._fails_after = False
        self._numbered: dict[int, tuple[Any, int]] = {}  # the groups, for references to them
        self.first = self._state()
        self.last = self._items(tree, self.first, pattern.flags, may_fail_after=False)

    def characters(self, number: int) -> str:
        """Return a character of a class."""
        return next(c for c, each in self._class_of.items() if each == number)

    @property
    def classes(self) -> set[int]:
        return set(self._class_of.values())

    def _samples_of(self, source: str | bytes) -> str:
        if isinstance(source, bytes):
            return "".join(map(chr, range(256)))
        return "".join(dict.fromkeys(SAMPLES + "".join(c for c in source if ord(c) > 0x17F)))

    def _characters(self, item: Any, flags: int) -> frozenset[str]:
        """Return the samples that a node of one character matches."""
        key = (repr(item), flags)
        if key not in self._sets:
            state = _parser.State()
            state.flags = flags
            state.str = b"" if self.is_bytes else ""
            compiled = _compiler.compile(_parser.SubPattern(state, [item]), flags)
            self._sets[key] = frozenset(
                c
                for c in self._samples
                if compiled.fullmatch(c.encode("latin-1") if self.is_bytes else c)
            )
        return self._sets[key]

    def _gather(self, items: Any, flags: int) -> None:
        for op, argument in items:
            if str(op) in _CHARACTERS:
                self._characters((op, argument), flags)
            for inner, inner_flags in _parts(op, argument, flags):
                self._gather(inner, inner_flags)

    def _classes(self) -> dict[str, int]:
        """Return the class of each sample. The characters of a class match in the same places."""
        word = {c for c in self._samples if re.match(r"\w", c)}
        sets = [*self._sets.values(), frozenset(word), frozenset("\n")]
        marks = {c: tuple(c in each for each in sets) for c in self._samples}
        numbers = {mark: number for number, mark in enumerate(dict.fromkeys(marks.values()))}
        return {c: numbers[mark] for c, mark in marks.items()}

    def _of(self, characters: Iterable[str]) -> frozenset[int]:
        return frozenset(self._class_of[c] for c in characters)

    def _state(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def _items(self, items: Any, at: int, flags: int, *, may_fail_after: bool) -> int:
        """Add the states of some nodes after a state, and return the last one."""
        items = list(items)
        for number, item in enumerate(items):
            rest = may_fail_after or any(_may_fail(*each) for each in items[number + 1 :])
            at = self._item(item, at, flags, may_fail_after=rest)
        return at

    def _item(self, item: Any, at: int, flags: int, *, may_fail_after: bool) -> int:
        op, argument = item
        kind, end = str(op), self._state()
        if kind in _CHARACTERS:
            self.edges[at].append(Edge(end, self._of(self._characters(item, flags))))
        elif kind == "AT":
            self._boundary(str(argument), at, end, flags)
        elif kind in ("ASSERT", "ASSERT_NOT"):
            self._assertion(item, at, end, flags)
        elif kind in _LOOPS:
            self._loop(item, (at, end), flags, may_fail_after=may_fail_after)
        else:
            if kind == "SUBPATTERN" and argument[0]:
                self._numbered[argument[0]] = next(_parts(op, argument, flags))
            atomic = self._atomic
            if kind == "ATOMIC_GROUP":
                self._atomic |= {end}
            referred = [self._numbered[argument]] if kind == "GROUPREF" else ()
            for inner, inner_flags in (*_parts(op, argument, flags), *referred):
                start = self._state()
                self.edges[at].append(Edge(start))
                last = self._items(inner, start, inner_flags, may_fail_after=may_fail_after)
                self.edges[last].append(Edge(end))
            self._atomic = atomic
        return end

    def _loop(self, item: Any, ends: tuple[int, int], flags: int, *, may_fail_after: bool) -> None:
        op, (least, most, inner) = item
        at, end = ends
        before = self._around, self._fails_after, self._possessive, self._atomic
        if str(op) == "POSSESSIVE_REPEAT":
            self._atomic |= {end}
        for _ in range(min(least, _COPIES)):
            at = self._items(inner, at, flags, may_fail_after=may_fail_after)
        self.edges[at].append(Edge(end))
        if most is _parser.MAXREPEAT:
            head = self._state()
            self.edges[at].append(Edge(head))
            self.edges[head].append(Edge(end))
            self._fails_after = self._fails_after if self._around else may_fail_after
            if str(op) == "POSSESSIVE_REPEAT":
                self._possessive |= {head}
            self.loops.append(
                Loop(
                    head,
                    self._atomic,
                    self._fails_after,
                    may_fail_after,
                    self._around,
                    self._possessive,
                )
            )
            self._around |= {head}
            last = self._items(inner, head, flags, may_fail_after=False)
            self.edges[last].append(Edge(head))
        else:
            for _ in range(min(most - least, _COPIES)):
                at = self._items(inner, at, flags, may_fail_after=may_fail_after)
                self.edges[at].append(Edge(end))
        self._around, self._fails_after, self._possessive, self._atomic = before

    def _boundary(self, kind: str, at: int, end: int, flags: int) -> None:
        line, every = self._of("\n"), frozenset(self.classes)
        word = self._of(c for c in self._samples if re.match(r"\w", c))
        other = (every - word) | {START, END}
        is_multiline = bool(flags & re.MULTILINE)
        pairs = {
            "AT_BEGINNING": [(line | {START} if is_multiline else {START}, None)],
            "AT_BEGINNING_STRING": [({START}, None)],
            "AT_END": [(None, (line if is_multiline else set()) | {END})],
            "AT_END_STRING": [(None, {END})],
            "AT_BOUNDARY": [(word, other), (other, word)],
            "AT_NON_BOUNDARY": [(word, word), (other, other)],
        }[kind]
        for before, after in pairs:
            self.edges[at].append(
                Edge(end, None, before and frozenset(before), after and frozenset(after))
            )

    def _assertion(self, item: Any, at: int, end: int, flags: int) -> None:
        op, (direction, inner) = item
        is_positive = str(op) == "ASSERT"
        beside = START if direction < 0 else END
        single = self._single(inner, flags)
        if single is None and direction > 0:
            single = self._first_of(inner, flags)
        allowed = None
        if single is not None:
            every = frozenset(self.classes)
            allowed = single if is_positive else (every - single) | {beside}
        self.edges[at].append(
            Edge(end, None, *((allowed, None) if direction < 0 else (None, allowed)))
        )

    def _single(self, items: Any, flags: int) -> frozenset[int] | None:
        """Return the classes of an assertion about one character; None for others."""
        items = list(items)
        if len(items) != 1:
            return None
        op, argument = items[0]
        if str(op) in _CHARACTERS:
            return self._of(self._characters((op, argument), flags))
        parts = list(_parts(op, argument, flags)) if str(op) in ("BRANCH", "SUBPATTERN") else []
        sets = [self._single(*part) for part in parts]
        return frozenset().union(*sets) if sets and None not in sets else None

    def _first_of(self, items: Any, flags: int) -> frozenset[int] | None:
        """Return the classes of the first character; None if there may be none."""
        start = len(self.edges)
        loops = len(self.loops)
        at = self._state()
        last = self._items(items, at, flags, may_fail_after=False)
        found: set[int] = set()
        todo, seen = [at], {at}
        is_empty = False
        while todo:
            state = todo.pop()
            is_empty |= state == last
            for edge in self.edges[state]:
                if edge.over is not None:
                    found |= edge.over
                elif edge.to not in seen:
                    seen.add(edge.to)
                    todo.append(edge.to)
        del self.edges[start:], self.loops[loops:]
        return None if is_empty else frozenset(found)


def _parts(op: Any, argument: Any, flags: int) -> Iterator[tuple[Any, int]]:
    """Yield the patterns within a node, with their flags."""
    match str(op):
        case "BRANCH":
            yield from ((each, flags) for each in argument[1])
        case "SUBPATTERN":
            yield argument[3], (flags | argument[1]) & ~argument[2]
        case "ASSERT" | "ASSERT_NOT":
            yield argument[1], flags
        case "ATOMIC_GROUP":
            yield argument, flags
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            yield argument[2], flags
        case "GROUPREF_EXISTS":
            yield from ((each, flags) for each in argument[1:] if each is not None)


def _may_fail(op: Any, argument: Any) -> bool:
    kind = str(op)
    if kind in _LOOPS:
        return argument[0] > 0 and any(_may_fail(*item) for item in argument[2])
    if kind == "BRANCH":
        return all(any(_may_fail(*item) for item in each) for each in argument[1])
    if kind in ("SUBPATTERN", "ATOMIC_GROUP"):
        inner = argument[3] if kind == "SUBPATTERN" else argument
        return any(_may_fail(*item) for item in inner)
    return True


# -- what may grow

# a state, and the classes that the next character must be in; None for any
_At = tuple[int, frozenset[int] | None]


MOST_NODES = 30_000


class TooLargeError(Exception):
    """The pattern has too many states."""


class Growth(NamedTuple):
    """A word that makes a pattern slow when it is repeated."""

    kind: str
    word: str


def growths(pattern: re.Pattern[Any], *, is_searched: bool) -> list[Growth]:
    """Return words that make a pattern slow, at most one for each pair of repeats."""
    automaton = Automaton(pattern)
    search = _Search(automaton)
    found: list[Growth] = []
    loops = automaton.loops
    for second in loops:
        if is_searched and (word := search.again(second)):
            found.append(Growth("searched again", word))
        if word := search.twice(second):
            found.append(Growth("two ways through a repeat", word))
        words = (search.between(first, second) for first in loops)
        found += (Growth("two repeats", word) for word in words if word)
    return found


class _Search:
    def __init__(self, automaton: Automaton) -> None:
        self._automaton, self._left = automaton, MOST_NODES
        self._closures: dict[tuple[_At, int], list[tuple[int, _At]]] = {}
        self._sources: dict[int, list[int]] = {}
        for state, edges in enumerate(automaton.edges):
            for edge in edges:
                self._sources.setdefault(edge.to, []).append(state)
        heads = [loop.state for loop in automaton.loops]
        self._after = {head: self._reached(head, self._next, frozenset()) for head in heads}
        self._before = {head: self._reached(head, self._last, frozenset()) for head in heads}

    def _last(self, state: int) -> list[int]:
        return self._sources.get(state, [])

    def _next(self, state: int) -> list[int]:
        return [edge.to for edge in self._automaton.edges[state]]

    def _reached(
        self, state: int, following: Callable[[int], list[int]], without: frozenset[int]
    ) -> set[int]:
        seen, todo = {state}, [state]
        while todo:
            new = set(following(todo.pop())) - seen - without
            seen |= new
            todo += new
        return seen

    def _within(self, loop: int, without: frozenset[int] = frozenset()) -> set[int]:
        """Return the states from which a loop is reached and that it reaches."""
        return self._reached(loop, self._next, without) & self._reached(loop, self._last, without)

    def _steps(self, at: _At, before: int) -> list[tuple[int, _At]]:
        """Return the states after each next character, with its class."""
        if (at, before) not in self._closures:
            self._closures[at, before] = list(self._each_step(at, before))
        return self._closures[at, before]

    def _each_step(self, at: _At, before: int) -> Iterator[tuple[int, _At]]:
        for state, allowed in self._closure(at, before):
            for edge in self._automaton.edges[state]:
                if edge.over is not None:
                    over = edge.over if allowed is None else edge.over & allowed
                    yield from ((each, (edge.to, None)) for each in over)

    def _closure(self, at: _At, before: int) -> set[_At]:
        """Return the states that are reached without a character."""
        seen, todo = {at}, [at]
        while todo:
            state, allowed = todo.pop()
            for edge in self._automaton.edges[state]:
                if edge.over is not None or (edge.before is not None and before not in edge.before):
                    continue
                both = allowed if edge.after is None else edge.after
                if allowed is not None and edge.after is not None:
                    both = allowed & edge.after
                    if not both:
                        continue
                following = edge.to, both
                if following not in seen:
                    seen.add(following)
                    todo.append(following)
        return seen

    def again(self, repeat: Loop) -> str:
        """Return a word over which a loop goes on and at which a search begins again; "" if there
        is none.
        """
        loop, outside = repeat.state, (-1, None)
        if not (repeat.match_may_fail or repeat.round_may_fail):
            return ""
        # completed rounds of a repeat around it are kept if the round fails
        within = self._within(loop, frozenset() if repeat.match_may_fail else repeat.around)

        def steps(at: _At, before: int) -> list[tuple[int, _At]]:
            if at == outside:  # here or later
                here = self._steps((self._automaton.first, None), before)
                return here + [(each, outside) for each in self._automaton.classes]
            return self._steps(at, before)

        return self._cycle(
            (outside, (loop, None)),
            ((loop, None), (loop, None)),
            steps,
            ({-1, *self._before[loop]}, within),
        )

    def twice(self, repeat: Loop) -> str:
        """Return a word that leads from a loop back to it in two ways; "" if there is none."""
        loop = repeat.state
        if loop in repeat.possessive:
            return ""
        within = self._within(loop, repeat.possessive)
        for other in self._automaton.loops:
            if loop in other.around and self._is_left_and_entered(other.state, loop):
                return "x"
        for before in sorted(self._characters_in(within)):
            start = ((loop, None), (loop, None)), before, False
            came: dict[Any, Any] = {start: None}
            todo: list[Any] = [start]
            for node in todo:
                self._spend()
                ats, last, differ = node
                for symbol, following in self._together(ats, last, self._steps, (within, within)):
                    after = following, symbol, differ or following[0] != following[1]
                    if after in came:
                        continue
                    came[after] = node
                    goal = (loop, None), (loop, None)
                    if after[2] and symbol == before and self._reaches(following, goal, symbol):
                        return self._word(came, after)
                    todo.append(after)
        return ""

    def _is_left_and_entered(self, inner: int, outer: int) -> bool:
        """Return whether a loop can be left for one around it, and entered again, without a
        character.
        """
        around = {state for state, _ in self._closure((inner, None), START)}
        again = {state for state, _ in self._closure((outer, None), START)}
        return outer in around and inner in again

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooLargeError

    def _characters_in(self, states: set[int]) -> set[int]:
        return {
            each
            for state in states
            for edge in self._automaton.edges[state]
            if edge.over is not None and edge.to in states
            for each in edge.over
        }

    def between(self, first: Loop, second: Loop) -> str:
        """Return a word that both loops read, and that leads from the first to the second; "" if
        there is none.
        """
        one, other = (first.state, None), (second.state, None)
        if first == second or not first.atomic <= second.atomic:
            return ""
        if second.state not in self._after[first.state] or first.state in self._after[second.state]:
            return ""
        return self._cycle(
            (one, one, other),
            (one, other, other),
            self._steps,
            (
                self._within(first.state),
                self._after[first.state] & self._before[second.state],
                self._within(second.state),
            ),
        )

    def _cycle(
        self, start: tuple[_At, ...], goal: tuple[_At, ...], steps: Any, useful: Sequence[set[int]]
    ) -> str:
        for before in sorted(self._characters_in(useful[-1])):
            came: dict[Any, Any] = {(start, before): None}
            todo = [(start, before)]
            for node in todo:
                self._spend()
                ats, last = node
                for symbol, following in self._together(ats, last, steps, useful):
                    after = (following, symbol)
                    if after in came:
                        continue
                    came[after] = node
                    if symbol == before and self._reaches(following, goal, symbol):
                        return self._word(came, after)
                    todo.append(after)
        return ""

    def _together(
        self, ats: tuple[_At, ...], before: int, steps: Any, useful: Sequence[set[int]]
    ) -> Iterator[Any]:
        by_symbol: list[dict[int, set[_At]]] = []
        for at, states in zip(ats, useful, strict=True):
            each: dict[int, set[_At]] = {}
            for symbol, following in steps(at, before):
                if following[0] in states:
                    each.setdefault(symbol, set()).add(following)
            by_symbol.append(each)
        for symbol in set.intersection(*(set(each) for each in by_symbol)):
            combos: list[tuple[_At, ...]] = [()]
            for each in by_symbol:
                combos = [(*combo, at) for combo in combos for at in each[symbol]]
            for combo in combos:
                yield symbol, combo

    def _reaches(self, ats: tuple[_At, ...], goal: tuple[_At, ...], before: int) -> bool:
        return all(
            at == wanted or (at[0] >= 0 and wanted in self._closure(at, before))
            for at, wanted in zip(ats, goal, strict=True)
        )

    def _word(self, came: Any, node: Any) -> str:
        word = ""
        while came[node] is not None:
            word = self._automaton.characters(node[1]) + word
            node = came[node]
        return word

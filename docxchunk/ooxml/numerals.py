"""Number formatters: general ones and those of English (ECMA-376 Part 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

Formatter = Callable[[int], str]

_MOST_REPEATED: Final = 30  # repetitions of a letter before Word restarts with the first
_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN: Final = 32_767


def decimal(number: int) -> str:
    return str(number)


def nothing(_: int) -> str:
    return ""


def padded(width: int) -> Formatter:
    """Pad decimal numbers with zeros: 001 002 003."""
    return lambda number: f"{number:0{width}d}"


def from_one(show: Formatter) -> Formatter:
    """Use the format for numbers from 1, decimal below."""
    return lambda number: show(number) if number >= 1 else decimal(number)


def letters(alphabet: Sequence[str], most: int = _MOST_REPEATED) -> Formatter:
    """Repeat letters: a b ... z aa bb ... zz aaa."""

    def show(number: int) -> str:
        repeated, index = divmod((number - 1) % (most * len(alphabet)), len(alphabet))
        return alphabet[index] * (repeated + 1)

    return from_one(show)


def cycle(symbols: Sequence[str]) -> Formatter:
    """Cycle through the symbols. Unlike the standard, Word does not double them after the last."""
    return from_one(lambda number: symbols[(number - 1) % len(symbols)])


def few(symbols: Sequence[str]) -> Formatter:
    """Use the symbols while they last, then decimal."""
    return lambda number: symbols[number - 1] if 1 <= number <= len(symbols) else decimal(number)


def digits(symbols: str) -> Formatter:
    """Write decimal numbers with other digits; `symbols` starts with zero."""
    table = str.maketrans("0123456789", symbols)
    return lambda number: decimal(number).translate(table)


def span(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


def lower_roman(number: int) -> str:
    if not 1 <= number <= _LARGEST_ROMAN:
        return decimal(number)
    written = []
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        written.append(letters * times)
    return "".join(written)


def ordinal(number: int) -> str:
    """Write English ordinals: 1st 2nd 3rd 4th ... 11th."""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


_ONES: Final = (
    *(
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
    ),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = (
    "",
    "",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
)
_ORDINALS: Final = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_LARGEST_IN_WORDS: Final = 999_999


def _words(number: int) -> str:
    """Return a number in words, in American English as in Word: "one hundred twenty-three"."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    return f"{_words(number // size)} {name}" + (
        f" {_words(number % size)}" if number % size else ""
    )


def cardinal_text(number: int) -> str:
    return _words(number).capitalize() if 0 <= number <= _LARGEST_IN_WORDS else decimal(number)


def ordinal_text(number: int) -> str:
    if not 1 <= number <= _LARGEST_IN_WORDS:
        return decimal(number)
    words = _words(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    ordinal_word = _ORDINALS.get(last) or (
        f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    )
    return (words[:cut] + ordinal_word).capitalize()


def dollar_text(number: int) -> str:
    return f"{cardinal_text(number)} and 00/100"


def upper_roman(number: int) -> str:
    return lower_roman(number).upper()

"""The words that limit what is said."""

from __future__ import annotations

import pytest

from docxchunk.language.limiting import limiting
from docxchunk.retrieval.citing.quoted_words import folded, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("will not, in any event,", ["not"]),
        ("the Supplier doesn’t", ["doesn’t"]),
        ("up to EUR 500 at a time", ["up to"]),
        ("notices knot the note", []),  # parts of words
        ("of all goods and services", []),
        ("sofern der Kunde nicht zahlt", ["sofern", "nicht"]),
        ("außer bei Vorsatz", ["außer"]),
        ("n’est en aucun cas", ["n’est", "aucun"]),
        ("à l’exception de l’article 3", ["l’exception"]),
        ("não poderá, exceto por escrito", ["não", "exceto"]),
        ("ningún caso, salvo", ["ningún", "salvo"]),
        ("né tranne nessuna", ["né", "tranne", "nessuna"]),
        ("chyba że strony postanowią", ["chyba"]),
        ("není-li kromě", ["není", "kromě"]),
        ("если иное не указано", ["если", "не"]),
        ("якщо інше не вказано", ["якщо", "не"]),
        ("devredemez, yalnızca", ["devredemez", "yalnızca"]),
        ("không được", ["không"]),
        ("لا يجوز إلا", ["لا", "إلا"]),
        ("אינו רשאי אלא", ["אינו", "אלא"]),
        ("除非双方另有约定", ["除", "非"]),
        ("双方应当", []),
        ("譲渡してはならない", ["な い"]),
        ("양도하지 아니하며", ["아 니"]),
    ],
)
def test_words_that_limit_are_found_in_all_languages(text, expected):
    words = words_of(text)
    found = [" ".join(words[each.start : each.stop]) for each in limiting(folded(words))]
    assert [each.replace("'", "’") for each in found] == expected

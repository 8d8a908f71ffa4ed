"""The words that limit or turn round what a sentence says, by language: negations, exceptions,
conditions and limits. A quotation that leaves out one of them may mislead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Final

from docxchunk.language.folding import alike
from docxchunk.language.scripts import UNSPACED

_BY_LANGUAGE: Final = {
    "English": """
        not no non nor never neither none nothing nobody cannot *n't without only solely exclusively
        unless except excepting excluding other_than save if provided subject_to notwithstanding
        until up_to at_least at_most less_than more_than maximum minimum
    """,
    "German": """
        nicht nichts kein* nie niemals niemand weder ohne nur lediglich allein ausschließlich*
        sofern soweit solange wenn falls außer ausgenommen ausnahme es_sei_denn vorbehaltlich
        mindestens höchstens bis_zu
    """,
    "French": """
        ne n'* pas ni jamais aucun* nul nulle rien sans sauf hormis excepté seul* uniquement
        exclusivement à_moins à_condition sous_réserve l'exception exclusion pourvu lorsque
        jusqu'à au_moins au_plus
    """,
    "Spanish": """
        no ni nunca jamás tampoco ningun* ningún nada sin solo solamente únicamente exclusivamente
        salvo excepto excepción a_menos siempre_que reserva hasta al_menos como_máximo
    """,
    "Italian": """
        non né nessun* senza solo soltanto solamente esclusivamente unicamente salvo eccetto tranne
        eccezione purché qualora fino_a almeno al_massimo
    """,
    "Portuguese": """
        não nem nunca jamais nenhum* sem somente apenas exclusivamente salvo exceto excepto exceção
        a_menos desde_que ressalvado até pelo_menos no_máximo
    """,
    "Dutch": """
        niet niets geen nooit noch zonder slechts alleen uitsluitend tenzij behalve uitgezonderd
        uitzondering indien mits voor_zover tot_en_met ten_minste ten_hoogste
    """,
    "Swedish, Danish, Norwegian": """
        inte ej icke ingen inget inga aldrig utan utom endast bara enbart såvida förutsatt
        ikke intet aldri kun uden uten medmindre undtagen unntatt hvis forudsat forutsatt
        undantag undtagelse unntak
    """,
    "Polish": """
        nie ani nigdy żaden żadn* bez tylko wyłącznie jedynie chyba oprócz wyjątkiem o_ile jeśli
        jeżeli pod_warunkiem co_najmniej najwyżej
    """,
    "Czech, Slovak": """
        ne není nejsou nesmí nesmějí nemůže nemohou nemá nemají nebude nebudou nebyl* nelze nemusí
        nikdy nikoli* žádn* bez pouze jen jenom výhradně výlučně ledaže pokud kromě výjimkou
        nie_je nemôže nesmie iba len okrem výnimkou ak
    """,
    "Romanian, Hungarian": """
        nu niciun* niciodată fără numai doar decât excepția dacă
        nem csak kivéve kivétel* nélkül soha
    """,
    "Russian": """
        не нет ни никогда никак* без только лишь исключительно кроме исключением если условии
    """,
    "Ukrainian": """
        не ні ніколи жодн* без лише тільки виключно крім окрім винятком якщо умови
    """,
    "Greek": """
        δεν μη μην ούτε ποτέ καμία κανένα χωρίς μόνο εκτός εξαίρεση εάν εφόσον
    """,
    "Turkish, Finnish": """
        değil yok hiçbir hariç dışında sadece yalnız yalnızca ancak olmadan *maz *mez
        *mazlar *mezler *maksızın *meksizin *madıkça *medikçe şartıyla
        ei eivät eikä ilman vain ainoastaan paitsi ellei jos
    """,
    "Vietnamese": "không chưa chẳng chỉ ngoại_trừ trừ_khi trừ với_điều_kiện",
    "Arabic, Hebrew": """
        لا ولا لم ولم لن ولن ليس ليست غير إلا فقط بدون دون باستثناء سوى عدم بشرط إذا
        לא ולא שלא אין ואין אינו אינה אינם רק אלא למעט ללא בלי אם בתנאי
    """,
    "Chinese": """
        不 未 无 無 非 勿 没 沒 莫 毋 否 仅 僅 只 除 但 若 如果 假如 限 至多 至少
        最多 最少 最高 最低
    """,
    "Japanese": """
        ない なく なけれ ません ぬ ず のみ だけ 限 除 但 ただし 未満 以下 以上 場合
    """,
    "Korean": """
        않 아니 못 없 안된 안된다 불가 만을 에한하여 에한하 제외 다만 단서 미만 이하 이상 초과 경우
    """,
}


def _pattern(entry: str) -> str:
    """Return the pattern of an entry in a text of words with a blank between each: "_" stands for a
    blank, "*" for letters. Each character without spaces around it is a word.
    """
    spaced = re.sub(rf"([{UNSPACED}])(?=.)", r"\1 ", alike(entry).casefold().replace("_", " "))
    return re.escape(spaced).replace(r"\*", r"\w*")


@cache
def _limiting() -> re.Pattern[str]:
    """Return the pattern of all entries, the longest first."""
    entries = set(chain.from_iterable(line.split() for line in _BY_LANGUAGE.values()))
    patterns = sorted(map(_pattern, entries), key=lambda text: (-len(text), text))
    return re.compile(rf"(?<!\S)(?:{'|'.join(patterns)})(?!\S)")


def limiting(words: Sequence[str]) -> list[range]:
    """Return which of some words limit or turn round what is said: "not", "unless", "up to". The
    words are folded, in lower case, each character without spaces around it on its own. Those of
    all languages count in any text.
    """
    text = " ".join(words)
    return [
        range(text.count(" ", 0, match.start()), text.count(" ", 0, match.end()) + 1)
        for match in _limiting().finditer(text)
    ]

"""Words and signs that headings are made of: names of divisions, ordinals, common titles.

Data only, by language where that helps. Names and ordinals are in lower case, and western European
ones without accents, as `numbers` compares them.
"""

from __future__ import annotations

from typing import Final

# ranks of divisions: 1 is the largest
PART: Final = 1
CHAPTER: Final = 3
SECTION: Final = 4
ARTICLE: Final = 5

ANNEX_NAMES: Final = (
    "appendix annex schedule exhibit anhang anlage annexe anexo apendice allegato приложение "
    "bijlage bilaga ek załącznik"
)
CHINESE_ANNEX: Final = "附"

DIVISIONS: Final = {
    PART: """
        part book title
        teil titel buch
        partie livre titre
        parte titulo libro titolo
        часть книга
        deel boek del kısım część
        الباب
    """,
    CHAPTER: f"""
        chapter kapitel chapitre capitulo capitolo capo глава hoofdstuk bolum rozdział
        الفصل פרק
        {ANNEX_NAMES}
    """,
    SECTION: """
        section sec. abschnitt seccion secao seccao sezione раздел afdeling paragraaf avsnitt
        القسم
    """,
    ARTICLE: """
        article artikel articulo artigo articolo статья madde art. artykuł
        clause clausula clausola
        المادة مادة סעיף
        § §§
    """,
    # these name no divisions, but may name headings
    0: """
        question frage pregunta pergunta domanda
        lesson lektion lecon leccion licao lezione
        unit module
        step schritt etape paso passo
        phase fase
        exercise
    """,
}
"""The names of divisions, by rank."""

CHINESE_DIVISIONS: Final = {
    **dict.fromkeys(("编", "部分", "篇"), PART),
    "分编": 2,
    "章": CHAPTER,
    "节": SECTION,
    "条": ARTICLE,
    **dict.fromkeys(("题", "題"), 0),
}
KOREAN_DIVISIONS: Final = {"편": PART, "부": PART, "장": CHAPTER, "절": SECTION, "조": ARTICLE}

INSERTED: Final = "bis ter quater quinquies sexies septies octies novies decies"
"""What follows the number of an article that was inserted later: "Article 2 bis"."""

ORDINALS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    """
    one two three four five six seven eight nine ten
    eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
    """,
    """
    premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme
    onzieme douzieme treizieme quatorzieme quinzieme
    """,
    "premiere seconde",
    "unique",
    "الأول الثاني الثالث الرابع الخامس السادس السابع الثامن التاسع العاشر",
    "الأولى الثانية الثالثة الرابعة الخامسة السادسة السابعة الثامنة التاسعة العاشرة",
    "أولا ثانيا ثالثا رابعا خامسا سادسا سابعا ثامنا تاسعا عاشرا",
    "א ב ג ד ה ו ז ח ט י",
)
"""Numbers in words, from 1."""

GERMAN_ORDINAL_STEMS: Final = (
    "erst zweit dritt viert funft sechst siebt acht neunt zehnt elft zwolft dreizehnt vierzehnt "
    "funfzehnt"
)
"""The ordinals without their endings -e, -er, -es and -en, from 1."""

ROMANCE_ORDINAL_STEMS: Final = {
    1: "primer primeir prim unic",
    2: "segund second",
    3: "tercer terceir terz",
    4: "cuart quart",
    5: "quint",
    6: "sext sest",
    7: "septim setim settim",
    8: "octav oitav ottav",
    9: "noven non",
    10: "decim",
    11: "undecim undicesim",
    12: "duodecim dodicesim",
    13: "tredicesim",
    14: "quattordicesim",
    15: "quindicesim",
    16: "sedicesim",
    17: "diciassettesim",
    18: "diciottesim",
    19: "diciannovesim",
    20: "vigesim ventesim",
    30: "trigesim trentesim",
    40: "cuadragesim quadragesim quarantesim",
    50: "quincuagesim quinquagesim",
    60: "sexagesim",
}
"""Spanish, Portuguese and Italian ordinals without their endings -o and -a."""

TITLES: Final = {
    "en": """
        abstract | executive summary | summary | introduction | background | overview | preface
        foreword | about this document | purpose | scope | aims | objectives | goals | definitions
        terms and definitions | abbreviations | acronyms | glossary | notation | methods
        methodology | materials and methods | results | discussion | results and discussion
        evaluation | related work | limitations | future work | conclusion | conclusions
        recommendations | acknowledgements | acknowledgments | references | normative references
        informative references | bibliography | literature | appendix | appendices | annex | index
        requirements | prerequisites | installation | getting started | usage | configuration
        preamble | recitals | troubleshooting | frequently asked questions | revision history
        document history | change history | general | general provisions
    """,
    "de": """
        zusammenfassung | kurzfassung | einleitung | einführung | vorwort | hintergrund | ziele
        zielsetzung | geltungsbereich | anwendungsbereich | begriffe | begriffsbestimmungen
        abkürzungen | methoden | methodik | ergebnisse | diskussion | fazit | schluss | ausblick
        danksagung | präambel | literatur | literaturverzeichnis | quellenverzeichnis | anhang
        glossar | allgemeines
    """,
    "fr": """
        résumé | préambule | avant-propos | préface | contexte | objet | objectifs
        champ d'application | définitions | méthodes | méthodologie | résultats
        conclusion générale | remerciements | bibliographie | références | annexes | glossaire
        introduction générale
    """,
    "es": """
        resumen | preámbulo | introducción | antecedentes | objetivos | objeto | alcance
        definiciones | metodología | métodos | resultados | discusión | conclusión | conclusiones
        recomendaciones | agradecimientos | referencias | bibliografía | anexos | apéndice
        glosario
    """,
    "pt": """
        resumo | preâmbulo | introdução | objetivo | definições | metodologia | discussão
        conclusão | conclusões | agradecimentos | referências
    """,
    "it": """
        sommario | riassunto | premessa | introduzione | scopo | definizioni | metodi | risultati
        discussione | conclusione | conclusioni | ringraziamenti | riferimenti | bibliografia
        appendice | allegati
    """,
    "ru": """
        аннотация | реферат | введение | предисловие | общие положения | термины и определения
        методы | результаты | обсуждение | выводы | заключение | благодарности | литература
        список литературы | приложение | приложения
    """,
    "zh": """
        摘要 | 引言 | 前言 | 绪论 | 緒論 | 序言 | 概述 | 背景 | 研究背景 | 研究目的 | 研究内容
        研究方法 | 研究现状 | 目的 | 范围 | 總則 | 总则 | 附则 | 附則 | 术语和定义 | 缩略语
        规范性引用文件 | 结果 | 讨论 | 结论 | 結論 | 结语 | 总结 | 总结与展望 | 致谢 | 致謝 | 谢辞
        参考文献 | 參考文獻 | 附录 | 附錄 | 作者简介
    """,
    "ja": """
        はじめに | 概要 | 序論 | 緒言 | 目的 | 方法 | 結果 | 考察 | おわりに | まとめ | 謝辞 | 付録
    """,
    "ko": """
        초록 | 요약 | 머리말 | 서론 | 목적 | 연구 방법 | 결과 | 논의 | 결론 | 참고문헌
        감사의 글 | 부록
    """,
}
"""Common titles of sections, one a line or between bars."""

TITLES_OF_CONTENTS: Final = (
    "contents",
    "table of contents",
    *("inhalt", "inhaltsverzeichnis", "inhaltsübersicht"),
    *("sommaire", "table des matières"),
    *("índice", "sumário", "indice"),
    *("содержание", "оглавление"),
    *("目录", "目錄", "目次", "목차", "차례"),
)

LABELS: Final = (
    "note notes warning caution tip important example examples "
    "date to from subject re cc tel phone email e-mail fax "
    "remarque achtung hinweis nota примечание 注 注意 提示"
)
"""Words that stand alone on a line before the text, but are no headings."""

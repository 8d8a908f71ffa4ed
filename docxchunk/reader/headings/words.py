"""Titles that many documents have, and words that are no headings. Data only, by language."""

from __future__ import annotations

from typing import Final

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

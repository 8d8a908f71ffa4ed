"""Recognise common section titles: Introduction, References, 参考文献."""

from __future__ import annotations

from typing import Final

_TITLES: Final = """
abstract | executive summary | summary | introduction | background | overview | preface | foreword
about this document | purpose | scope
aims | objectives | goals | definitions | terms and definitions | abbreviations | acronyms
glossary | notation | methods | methodology
materials and methods | results | discussion | results and discussion | evaluation | related work
limitations | future work | conclusion
conclusions | recommendations | acknowledgements | acknowledgments | references
normative references | informative references | bibliography
literature | appendix | appendices | annex | index | requirements | prerequisites | installation
getting started | usage | configuration
preamble | recitals | troubleshooting | frequently asked questions | revision history
document history | change history | general | general provisions
zusammenfassung | kurzfassung | einleitung | einführung | vorwort | hintergrund | ziele
zielsetzung | geltungsbereich | anwendungsbereich
begriffe | begriffsbestimmungen | abkürzungen | methoden | methodik | ergebnisse | diskussion
fazit | schluss | ausblick | danksagung
präambel | literatur | literaturverzeichnis | quellenverzeichnis | anhang | glossar | allgemeines
résumé | préambule | avant-propos | préface | contexte | objet | objectifs | champ d'application
définitions | méthodes | méthodologie | résultats
conclusion générale | remerciements | bibliographie | références | annexes | glossaire
introduction générale
resumen | preámbulo | introducción | antecedentes | objetivos | objeto | alcance | definiciones
metodología | métodos | resultados | discusión
conclusión | conclusiones | recomendaciones | agradecimientos | referencias | bibliografía
anexos | apéndice | glosario
resumo | preâmbulo | introdução | objetivo | definições | metodologia | discussão | conclusão
conclusões | agradecimentos | referências
sommario | riassunto | premessa | introduzione | scopo | definizioni | metodi | risultati
discussione | conclusione | conclusioni
ringraziamenti | riferimenti | bibliografia | appendice | allegati
аннотация | реферат | введение | предисловие | общие положения | термины и определения | методы
результаты | обсуждение | выводы
заключение | благодарности | литература | список литературы | приложение | приложения
摘要 | 引言 | 前言 | 绪论 | 緒論 | 序言 | 概述 | 背景 | 研究背景 | 研究目的 | 研究内容 | 研究方法
研究现状 | 目的 | 范围 | 總則 | 总则 | 附则 | 附則
术语和定义 | 缩略语 | 规范性引用文件 | 结果 | 讨论 | 结论 | 結論 | 结语 | 总结 | 总结与展望 | 致谢
致謝 | 谢辞 | 参考文献 | 參考文獻 | 附录 | 附錄 | 作者简介
はじめに | 概要 | 序論 | 緒言 | 目的 | 方法 | 結果 | 考察 | おわりに | まとめ | 謝辞 | 付録
초록 | 요약 | 머리말 | 서론 | 목적 | 연구 방법 | 결과 | 논의 | 결론 | 참고문헌 | 감사의 글 | 부록
"""


def _key(text: str) -> str:
    """Normalise a title: no blanks (some have them between all letters), no case, no colon or full
    stop at the end.
    """
    return "".join(text.split()).casefold().rstrip(":：.")


_KNOWN: Final = frozenset(map(_key, _TITLES.replace("\n", "|").split("|"))) - {""}
_LONGEST: Final = 40  # characters, blanks included


def is_known_title(text: str) -> bool:
    """Return whether a text without its number is a common section title."""
    return len(text) <= _LONGEST and _key(text) in _KNOWN

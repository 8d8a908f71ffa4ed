"""The words that clauses are named and numbered with, by rank and language: "Article", "Capítulo",
"Załącznik", "third". Data only, in lower case.
"""

from __future__ import annotations

from typing import Final

# ranks of divisions: 1 is the largest
PART: Final = 1
CHAPTER: Final = 3
SECTION: Final = 4
SUBSECTION: Final = 5
ARTICLE: Final = 6

ANNEX_NAMES: Final = (
    "appendix annex schedule exhibit anhang anlage annexe anexo apendice allegato приложение "
    "bijlage bilaga bilag ek załącznik додаток phụ_lục"
)
CHINESE_ANNEX: Final = "附"
KOREAN_ANNEX: Final = "부칙"
CYRILLIC_LETTERS: Final = "абвгдежиклмнпрстуфхцшщэюя"
"""The letters that count annexes in Russian and Ukrainian, in their order: "Приложение А"."""

DIVISIONS: Final = {
    PART: """
        part book title
        teil titel buch
        partie livre titre
        parte titulo libro titolo
        часть книга
        deel boek del kısım część
        الباب
        частина księga tytuł kitap phần
        μέρος βιβλίο τίτλος partea cartea titlul část časť dio deo део част rész osa avdelning
        afsnit dalis daļa
        کتاب باب بخش ภาค บรรพ ลักษณะ भाग
    """,
    CHAPTER: f"""
        chapter kapitel chapitre capitulo capitolo capo глава hoofdstuk bolum rozdział
        розділ chương bab
        الفصل פרק
        κεφάλαιο capitolul hlava kapitola glava poglavlje поглавље fejezet luku kap. kapittel
        skyrius nodaļa poglavje peatükk
        فصل หมวด บทที่ अध्याय
        {ANNEX_NAMES}
    """,
    SECTION: """
        section sec. abschnitt seccion secao seccao sezione раздел afdeling paragraaf avsnitt
        القسم
        підрозділ oddział mục
        τμήμα ενότητα secțiunea díl diel odjeljak odeljak одељак skirsnis iedaļa oddelek jagu bagian
        مبحث ส่วนที่
    """,
    SUBSECTION: """
        oddíl oddiel
    """,
    ARTICLE: """
        article artikel articulo artigo articolo статья madde art. artykuł
        clause clausula clausola
        المادة مادة סעיף
        стаття điều klauzula
        άρθρο articolul čl. článek článok članak član члан чл. член cikk člen straipsnis pants pasal
        ماده มาตรา ข้อ धारा अनुच्छेद
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
"""The names of divisions, by rank. "_" stands for a blank."""

FORMS: Final = {
    "annex": "annexes",
    "appendix": "appendices",
    "schedule": "schedules",
    "exhibit": "exhibits",
    "attachment": "attachments",
    "anhang": "anhänge anhängen anhangs",
    "anlage": "anlagen",
    "annexe": "annexes",
    "anexo": "anexos",
    "apéndice": "apéndices",
    "allegato": "allegati",
    "bilaga": "bilagor bilagan",
    "bijlage": "bijlagen",
    "приложение": "приложения приложении приложению приложением",
    "додаток": "додатку додатком додатка",
    "załącznik": "załącznika załączniku załącznikiem",
    "part": "parts",
    "title": "titles",
    "teil": "teils",
    "titel": "titels",
    "partie": "parties",
    "titre": "titres",
    "título": "títulos",
    "titolo": "titoli",
    "часть": "части частью",
    "частина": "частини частині",
    "część": "części",
    "chapter": "chapters",
    "kapitel": "kapitels kapiteln kapitlet",
    "chapitre": "chapitres",
    "capítulo": "capítulos",
    "capitolo": "capitoli",
    "глава": "главы главе главу главой глави",
    "розділ": "розділу розділі",
    "hoofdstuk": "hoofdstukken",
    "rozdział": "rozdziału rozdziale",
    "section": "sections",
    "abschnitt": "abschnitts abschnitte abschnitten",
    "sección": "secciones",
    "secção": "secções",
    "seção": "seções",
    "sezione": "sezioni",
    "раздел": "раздела разделе разделу разделом разделы разделов разделам разделах разделами",
    "article": "articles",
    "artikel": "artikels artikeln artikelen",
    "artículo": "artículos",
    "artigo": "artigos",
    "articolo": "articoli",
    "статья": "статьи статье статью статьей статей статьям статьях статьями ст.",
    "стаття": "статті статтю статтею",
    "artykuł": "artykułu artykule",
    "madde": "maddesi",
    "art.": "arts. artt.",
    "άρθρο": "άρθρου άρθρα άρθρων",
    "κεφάλαιο": "κεφαλαίου",
    "articolul": "articolului articolele articolelor",
    "capitolul": "capitolului",
    "secțiunea": "secțiunii",
    "článek": "článku článkem články",
    "článok": "článku článkom články",
    "hlava": "hlavy hlavě hlave",
    "članak": "članka članku članci",
    "član": "člana članu",
    "члан": "члана члану",
    "член": "члена членове",
    "glava": "glave glavi",
    "poglavlje": "poglavlja poglavlju",
    "člen": "člena členu členom",
    "straipsnis": "straipsnio straipsnyje straipsniu straipsniai straipsnių",
    "skyrius": "skyriaus skyriuje",
    "pants": "panta pantā pantu panti pantos",
    "nodaļa": "nodaļas nodaļā",
    "luku": "luvun luvussa",
    "fejezet": "fejezetet fejezetben",
    "cikk": "cikke cikkben cikkely",
    "pasal": "pasal-pasal",
    "ماده": "مادهٔ مواد",
    "धारा": "धाराओं",
    "clause": "clauses cl.",
    "cláusula": "cláusulas",
    "clausola": "clausole",
    "ziffer": "ziffern",
    "пункт": "пункта пункте пункту пунктом пункты пунктов пунктам пунктах пунктами п. пп.",
}
"""The forms that the names of divisions have in sentences."""

NUMBERED_BEFORE: Final = """
    § §§ kap. luku osa rész fejezet cikk dalis skyrius skirsnis straipsnis daļa nodaļa iedaļa pants
    poglavje oddelek člen peatükk jagu abschnitt kapitel bölüm kısım
"""
"""The names that may follow their numbers: "1 §", "II skyrius", "3. člen"."""

NO_NAMES: Final = "Pants cast Cast CAST"
"""What is no name, because it is a word of another language: "2. Pants", "Cast 2"."""

NO_LETTERS: Final = "čl. článek článok članak član члан чл. член cikk člen pants dio deo део osa"
"""The names, and words that look like them, that have no letter as a number: "Член К. Петров"."""

CHINESE_DIVISIONS: Final = {
    **dict.fromkeys(("编", "部分", "篇"), PART),
    "分编": 2,
    "章": CHAPTER,
    "节": SECTION,
    "条": ARTICLE,
    "题": 0,
}
TRADITIONAL: Final = {"編": "编", "節": "节", "條": "条", "題": "题"}
"""Chinese names of divisions as they are written in Taiwan, Hong Kong and Japan."""
KOREAN_DIVISIONS: Final = {
    **dict.fromkeys("편부", PART),
    "장": CHAPTER,
    "절": SECTION,
    "관": SUBSECTION,
    "조": ARTICLE,
}

INSERTED: Final = "bis ter quater quinquies sexies septies octies novies decies"
"""What follows the number of an article that was inserted later: "Article 2 bis"."""

GREEK_NUMERALS: Final = "α β γ δ ε στ ζ η θ ι ια ιβ ιγ ιδ ιε"
"""From 1: "ΚΕΦΑΛΑΙΟ Β΄"."""

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

ORDINALS_OF_DIVISIONS: Final = (
    "первый второй третий четвертый пятый шестой седьмой восьмой девятый десятый",
    "первая вторая третья четвертая пятая шестая седьмая восьмая девятая десятая",
    "перша друга третя четверта пята шоста сьома восьма девята десята",
    "първа втора трета четвърта пета шеста седма осма девета десета",
    "πρώτο δεύτερο τρίτο τέταρτο πέμπτο έκτο έβδομο όγδοο ένατο δέκατο",
    "πρώτος δεύτερος τρίτος τέταρτος πέμπτος έκτος έβδομος όγδοος ένατος δέκατος",
    "πρώτη δεύτερη τρίτη τέταρτη πέμπτη έκτη έβδομη όγδοη ένατη δέκατη",
    "první druhý třetí čtvrtý pátý šestý sedmý osmý devátý desátý",
    "první druhá třetí čtvrtá pátá šestá sedmá osmá devátá desátá",
    "prvá druhá tretia štvrtá piata šiesta siedma ôsma deviata desiata",
    "prvý druhý tretí štvrtý piaty šiesty siedmy ôsmy deviaty desiaty",
    "prvi drugi treći četvrti peti šesti sedmi osmi deveti deseti",
    "prva druga treća četvrta peta šesta sedma osma deveta deseta",
    "први други трећи четврти пети шести седми осми девети десети",
    "прва друга трећа четврта пета шеста седма осма девета десета",
    "pierwszy drugi trzeci czwarty piąty szósty siódmy ósmy dziewiąty dziesiąty",
    "birinci ikinci üçüncü dördüncü beşinci altıncı yedinci sekizinci dokuzuncu onuncu",
    "első második harmadik negyedik ötödik hatodik hetedik nyolcadik kilencedik tizedik",
    "pirmasis antrasis trečiasis ketvirtasis penktasis šeštasis septintasis aštuntasis",
    "första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde",
    "kesatu kedua ketiga keempat kelima keenam ketujuh kedelapan kesembilan kesepuluh",
    "اول دوم سوم چهارم پنجم ششم هفتم هشتم نهم دهم یازدهم دوازدهم",
)
"""Numbers in words that stand only beside the name of a division, from 1: "BİRİNCİ BÖLÜM"."""

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

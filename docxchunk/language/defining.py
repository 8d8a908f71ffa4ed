"""How definitions are written, by language: patterns of the words around the term."""

from __future__ import annotations

from typing import Final

# after the term: “X” means
_VERBS: Final = {
    "English": r"(?:shall\s+|will\s+)?(?:means?|has\s+the\s+meaning|have\s+the\s+meaning|"
    r"refers?\s+to|denotes?|includes?)|(?:is|are)\s+defined",
    "German": r"bedeute[nt]|bezeichne[nt]|mein(?:t|en)|umfass(?:t|en)|(?:ist|sind)\s+definiert",
    "French": r"désign(?:e|ent)|signifi(?:e|ent)|s[’']entend(?:ent)?|a\s+le\s+sens|"
    r"(?:est|sont)\s+définie?s?",
    "Spanish": r"signific(?:a|an|ará|arán)|designa[n]?|se\s+entiende|se\s+entenderá|"
    r"(?:tiene|tendrá)\s+el\s+significado|se\s+refiere|se\s+define|quiere\s+decir",
    "Portuguese": r"signific(?:a|am|ará|arão)|designam?|entende-se|"
    r"(?:tem|terá)\s+o\s+significado|refere-se|quer\s+dizer",
    "Italian": r"signific(?:a|ano|herà)|indica(?:no)?|designa(?:no)?|si\s+intend(?:e|ono)|"
    r"ha\s+il\s+significato",
    "Dutch": r"betekent|betekenen|omvat|heeft\s+de\s+betekenis|wordt\s+verstaan|"
    r"worden\s+verstaan|verwijst\s+naar",
    "Swedish": r"betyder|avser|avses|har\s+den\s+betydelse|innebär",
    "Danish": r"betegner|skal\s+betyde|forstås|menes",
    "Polish": r"oznacza(?:ją)?|rozumie\s+się|należy\s+rozumieć|ma\s+znaczenie",
    "Czech": r"znamen(?:á|ají)|se\s+rozumí|rozumí\s+se|označuje|má\s+význam|sa\s+rozumie",
    "Russian": r"означа(?:ет|ют)|обознача(?:ет|ют)|понима(?:ется|ются)|имеет\s+значение",
    "Ukrainian": r"означа(?:є|ють)|розумі(?:ється|ють|ються)|має\s+значення",
}
VERB: Final = rf"(?:{'|'.join(_VERBS.values())})\b"
# the same where the term needs no quotation marks
STRONG: Final = (
    r"(?:(?:shall\s+)?means?|has\s+the\s+meaning|have\s+the\s+meaning|is\s+defined|are\s+defined|"
    r"bedeute[nt]|bezeichne[nt]|désign(?:e|ent)|signifi(?:e|ent)|signific(?:a|an|am|ano|ará|arán)|"
    r"oznacza(?:ją)?|znamen(?:á|ají)|означа(?:ет|ют|є|ють)|betekent|betekenen|betyder|avser)\b"
)
# at the beginning of a line: “X” is the …
IS: Final = (
    r"(?:(?:is|are)\s+(?:the|an?|any|each|every|all|that|those)|"
    r"(?:ist|sind)\s+(?:jede[rs]?|der|die|das|eine?|alle)|"
    r"(?:est|sont)\s+(?:une?|le|la|les|l[’']|tou\w+|chaque)|"
    r"(?:es|son|será|serán)\s+(?:una?|el|la|los|las|tod\w+|cualquier)|"
    r"(?:é|são)\s+(?:uma?|o|a|os|as|tod\w+|cada|qualquer)|"
    r"(?:è|sono)\s+(?:un[ao]?|il|lo|la|i|gli|le|l[’']|ogni|qualsiasi)|"
    r"(?:is|zijn)\s+(?:de|het|een|elke?|ieder|alle)|"
    r"(?:är)\s+(?:den|det|de|en|ett|varje|alla)|"
    r"(?:to|jest|są)\s+\w|(?:je|jsou)\s+\w|[-–—]?\s*(?:это|есть|це|є)\s)(?!\w)"
)
# before the term, in the sentence of a definition: unter „X“ ist … zu verstehen
UNDER: Final = (
    r"\b(?:unter(?:\s+(?:dem|den|der)\s+\w+)?|als|par|on\s+entend\s+par|por|se\s+entiende\s+por|"
    r"entende-se\s+por|per|si\s+intende\s+per|onder|med|przez|pod\s+pojęciem|pojmem|под|"
    r"під)\s+(?:(?:the|den|dem|der|el|la|il|o|a|le|de|het|termin\w*|begrepp\w*)\s+)?"
)
UNDERSTOOD: Final = (
    r"(?:verstanden|verstehen|versteht|gilt|gelten|entend\w*|entiende\w*|entender\w*|"
    r"intend(?:e|ono)|verstaan|avses|forstås|menes|rozumie\w*|rozumí|понима\w+|розумі\w+)(?!\w)"
)
ENTENDED: Final = (
    r"\b(?:on\s+entend\s+par|se\s+enti?end(?:en?|erán?)\s+por|entende-se\s+por|"
    r"si\s+intende\s+per|im\s+sinne\s[^.;\"“”„«»]{0,80}\s(?:bedeute[nt]|bezeichne[nt])|"
    r"versteht\s+man\s+unter|verstaan\s+onder|rozumí\s+se|rozumie\s+się\s+przez|"
    r"понимается\s+под|розуміється\s+під)\s+(?:(?:el|la|il|o|a|le|de|het)\s+)?"
)
# before the term, whose words precede: hereinafter the “X”
ALIAS: Final = (
    r"\b(?:here(?:in)?after|referred\s+to\s+(?:\w+\s+){0,3}as|nachfolgend|nachstehend|im\s+folgenden|"
    r"kurz|ci-après|en\s+adelante|en\s+lo\s+sucesivo|doravante|adiante\s+designad\w+|di\s+seguito|"
    r"d[’']ora\s+in\s+(?:avanti|poi)|hierna|nedan\s+(?:kallad|benämnd)|härefter|nedenfor|"
    r"zwan\w+\s+dalej|dalej|dále\s+(?:jen|též)|далее|в\s+дальнейшем|именуем\w+|далі|надалі|"
    r"іменован\w+|bundan\s+böyle|bundan\s+sonra|kısaca)\b"
)
# an alias of these languages is inflected: zwana dalej „Umową”
INFLECTING: Final = (
    r"\b(?:zwan\w+\s+dalej|dalej|dále\s+(?:jen|též)|далее|в\s+дальнейшем|именуем\w+|далі|надалі|"
    r"іменован\w+)\b"
)
# after the term, at the end of the sentence
TURKISH: Final = (
    r"(?:ifade\s+e(?:der|dece\w+|tmekte\w*)|anlamına\s+gel\w+|anlamındadır|demektir|"
    r"anlaşılır)(?!\w)"
)
JAPANESE: Final = (
    r"とは(?!別|異|関|無関|違|限|いえ|言|思|なら)[^。]{0,400}?"
    r"(?:をい[うい]|を意味|を指|のことを|と定義|である|です)"
)
KOREAN: Final = (
    r"(?:(?:이)?란(?![가-힣])|(?:이)?라\s*함은|은|는|이라\s*하면)"
    r"[^.]{0,400}?(?:말한다|말하며|말합니다|의미한|의미하|의미합|뜻한다|뜻하|뜻합|지칭|일컫)"
)
CHINESE: Final = "是指|系指|係指|意指|意为|即指|指"
CHINESE_STRONG: Final = "是指|系指|係指|意指"
ALIAS_JAPANESE: Final = r"(?:以下|下記)[^。()（）「『]{0,20}"
ALIAS_CHINESE: Final = (
    r"(?:以下|[下简簡统統合并])[^()（）。，、]{0,6}称(?:[为為]|作|之为)?[：:]?\s*"
)
ALIAS_KOREAN: Final = r"이하[^()（）.]{0,20}"

NOTE_TO_ENTRY: Final = (
    r"\W*+(?:note\s+\d+\s+to\s+entry|anmerkung\s+\d+\s+zum\s+begriff|note\s+\d+\s+à\s+l[’']article|"
    r"nota\s+\d+\s+(?:a\s+la\s+entrada|all[’']elemento|à\s+entrada)|注\s*+(?:\d++\s*+)?[:：])"
)
TITLE: Final = (  # of a section of definitions
    r"\b(?:definitions?|defined\s+terms|glossary|terminology|terms\s+and\s+definitions|terms|"
    r"abbreviations|acronyms|begriffe|begriffsbestimmungen|definitionen|glossar|abkürzungen|"
    r"définitions|glossaire|terminologie|lexique|definiciones|glosario|definições|glossário|"
    r"definizioni|glossario|definities|begripsbepalingen|begrippen(?:lijst)?|definitioner|"
    r"ordlista|definicje|słownik\w*|definice|vymezení\s+pojmů|pojmy|определения|термины|глоссарий|"
    r"визначення|терміни|глосарій|tanımlar|kısaltmalar)\b|术语|術語|定义|定義|释义|釋義|用語|정의|용어"
)
ARTICLE: Final = (  # the first word of a definition that follows the term
    r"(?:an?|the|any|each|every|all|one|such|une?|les?|la|der|die|das|eine?|el|los|las|una?|il|lo|"
    r"o|os|uma?|een|de|het|en|ett|den|det)(?!\w)"
)
# an article inside the quotation marks: « le Prestataire »
OF_TERM: Final = (
    r"(?:(?:the|an?|der|die|das|den|dem|les?|la|el|los|las|il|lo|gli|os?|as|de|het|det)\s+|l[’'])"
)
_LABEL: Final = (
    r"(?:by|name|title|its|date|signed|signature|unterschrift|ort|datum|signé|nom|firma|firmado|"
    r"nombre|fecha|firmato|data|assinatura|nome|handtekening|naam|underskrift|namn|podpis|imię|"
    r"jméno|подпись|дата|підпис|imza|tarih)"
)
SIGNED: Final = (  # the beginning of a line for a signature
    r"\W*(?:signed\s+(?:by|for|on)|executed\s+(?:as|by)|in\s+witness|"
    rf"{_LABEL}\s*+:?\s*+(?:$|[_…]|\.{{4}}|\|\s*(?:{_LABEL}\b|$))|"
    r"[^。]{0,12}(?:签字|签署|签章|盖章|法定代表人|日期|署名|記名押印|서명|날인)[\W_]*$)"
)

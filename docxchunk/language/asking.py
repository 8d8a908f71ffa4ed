"""The words of questions that only ask, by language."""

from __future__ import annotations

from typing import Final

from docxchunk.language.folding import alike

_BY_LANGUAGE: Final = {
    "English": """
        about am been being can could did do does done ever had has have he her his how i it its
        just many may me might much must my our ours she should so than too us very we were what
        when where which who whom whose why would you your
    """,
    "German": """
        aber bin bist darf das dem den der die dürfen ein eine einen für gibt habe haben hat ich im
        ist kann können mein meine meinen mich mir muss müssen oder sich sie sind soll um und uns
        unser viel viele von wann warum was welche welchen welcher welches wenn wer werden wie wieso
        wieviel wir wird wo zu zum zur
    """,
    "French": """
        ai au aux avoir ce combien comment dans de des dois du elle en est et il je la le les leur
        ma mes moi mon notre nous on ou où par peut peuvent peux pour pourquoi puis qu quand que
        quel quelle quelles quels qui quoi sa se ses si son sont sur un une vos votre vous
    """,
    "Spanish": """
        a al con cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de debo del dónde el en es
        está hay la las lo los me mi mis o para pero por porque puede pueden puedo que quién quiénes
        qué se si son su sus tengo tiene un una y yo
    """,
    "Italian": """
        a che chi come con cosa cui da dal de dei del della devo di dove e è gli ho i il in io la le
        lo ma mi mia mio nel non per perché posso può quale quali quando quanta quante quanti quanto
        se si sono su un una
    """,
    "Portuguese": """
        a ao as com como da das de devo do dos e é em eu há meu minha na no o onde os ou para pela
        pelo pode podem por porque posso qual quais quando quanta quantas quanto quantos que quem se
        ser seu sua são tem tenho um uma
    """,
    "Dutch": """
        de een en er het hoe hoeveel hun ik in is kan kunnen mag mijn moet moeten of om onze op te
        van voor waar waarom wanneer was wat we welk welke wie wij word worden wordt zijn
    """,
    "Polish": """
        a czy co do dla gdzie i ile jak jaka jakie jaki jest kiedy która które który kto ma mam mi
        mogę można moje mój musi muszę na nie o od po przez są się to w z za że
    """,
    "Russian": """
        а был была были в вы где для его ее если есть и из или их к как какая какие какой когда кто
        ли мне могу может можно мой моя мы на наш не нужно о он она они от по почему при с сколько
        со такое такой то у чей чем что это я
    """,
    "Ukrainian": """
        в ви де для до є з за і із й його її коли кому який яка яке які як мені мій можу можна може
        ми на наш не о про скільки та у хто це чи чому що я
    """,
    "Turkish": """
        bir bu da de hangi hangisi için ile kaç kadar kim mi mu mü mı nasıl ne neden nerede niçin ve
    """,
}

ASKING: Final = frozenset(alike(word) for words in _BY_LANGUAGE.values() for word in words.split())
"""The words in lower case, without accents."""

"""The most common words of twelve languages, and how common they are.

Counted by wordfreq 3.1 (Robyn Speer, https://github.com/rspeer/wordfreq, data CC BY-SA 4.0): about
every 50th, 200th or 600th word of a text is one of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from docxchunk.language.folding import alike

_SHARES: Final = (0.02, 0.005, 0.0017)  # of the words of each group
_BY_LANGUAGE: Final = {
    "English": (
        "i",
        "all from have he his me my one so we you your",
        """
        about after also any back because been can could do first get go good had has
        her him how its just know like make more most much new now only other our out
        over people said see she some than them think time two up us very want way well
        were what when where which who would
        """,
    ),
    "German": (
        "das den der die ich in ist nicht und zu",
        """
        aber als an auch auf aus bei dass dem des du ein eine einen er es für hat im mit
        nach noch nur oder sich sie sind so von war was wenn werden wie wir wird
        """,
        """
        alle alles also am bin bis da dann diese dieser doch durch einem einer gegen
        geht gibt gut habe haben hatte hier ihr ihre immer ja jetzt kann keine können
        mal man mehr mich mir muss schon sehr sein seine um uns unter viel vom vor
        wieder wurde zum zur über
        """,
    ),
    "French": (
        "a d de des en est et l la le les pas que un une à",
        """
        au avec c ce dans du elle il j je mais n ne on par plus pour qu qui s se son sur
        tu vous y ça
        """,
        """
        ai alors ans après aussi autres aux avait avoir bien ces cette comme deux dit
        encore entre faire fait ils leur lui m ma me moi mon même non nous ont ou où
        peut quand sa sans ses si sont suis t temps tous tout très va était été être
        """,
    ),
    "Spanish": (
        "a de del el en es la los no por que se un y",
        "al como con las lo me más o para pero si su te una",
        """
        ahora así años bien cuando desde donde dos entre era eso esta este esto está fue
        ha hace hacer hasta hay le mi muy nada ni nos parte porque puede qué ser sin
        sobre solo son sus también tiene todo todos tu vez ya yo
        """,
    ),
    "Italian": (
        "a che di e il in la non per un è",
        """
        al alla anche come con da dei del della delle gli ha i l le lo ma mi nel o più
        se si sono una
        """,
        """
        ad ai alle altri ancora anni c chi ci cosa così cui d dal dalla degli dopo due
        ed era essere fa fare fatto hanno ho io loro mai me mio molto ne nella ogni ora
        parte perché poi prima può quando quanto quello questa questo sempre senza sia
        solo stato su sua sul suo ti tra tutti tutto uno
        """,
    ),
    "Portuguese": (
        "a da de do e em não o para que um uma é",
        "ao as com como dos eu foi mais mas me na no os por se ser seu sua você",
        """
        agora ainda anos aqui assim até bem brasil das depois dia ela ele eles entre era
        essa esse este está estão fazer há isso já mesmo meu minha muito mundo nas nos
        onde ou pela pelo pessoas pode porque quando quem sem seus sobre são só também
        te tem tempo tenho ter todos tudo vai vida vou à
        """,
    ),
    "Dutch": (
        "dat de een en het ik in is je met op te van voor",
        """
        aan als bij dan deze die dit door er hebben heeft hij maar naar niet nog of om
        ook over uit was wat we ze zijn
        """,
        """
        al alleen andere ben daar doen dus echt eens eerste gaan gaat geen goed haar had
        heb heel hier hoe hun jaar jij kan komt kunnen maken me meer mensen mij mijn
        moet moeten na nieuwe nu onder ons onze tegen toch tot twee u veel waar weer wel
        werd wij wil worden wordt zal zich zien zo zou
        """,
    ),
    "Swedish": (
        "att av det en för har i inte jag med och om på som är",
        """
        alla bara de den du då eller ett från han hur här kan kommer man men mig nu när
        ska så till vad var vi vill
        """,
        """
        aldrig allt andra bli blir bra dem detta dig din där efter fick finns få får gå
        går gör göra ha hade hela helt hon in ingen ja ju kanske lite mer min mot mycket
        många måste ni någon något också oss se sen ser sig sin skulle sverige säger ta
        tror två under upp ut utan vara varför varit vet vid väl än även år över
        """,
    ),
    "Polish": (
        "do i jest na nie się to w z że",
        "a ale co czy dla jak ma o od po przez są tak tego tylko tym za",
        """
        bardzo bez bo by być był było będzie ci coś gdy gdzie go ich ja jako jednak jego
        jej jestem jeszcze jeśli już kiedy które który lat lub ludzie mam mi mnie może
        można nawet nic no oraz pod przed przy roku sobie tam te tej ten teraz też wiem
        więc więcej wszystko ze żeby
        """,
    ),
    "Czech": (
        "a je na se to v že",
        "ale by co do i jak jako jsem jsou k mi o od po pro s si tak už ve z za",
        """
        aby ani až bude bych byl byla bylo být další ho jeho jen ještě jsme já kde když
        která které který let mezi má mám mě ne nebo není než nic nás něco pak podle
        pokud protože první před při také tam ten teď toho tom tu ty tím u vám ze
        """,
    ),
    "Russian": (
        "в и на не с что",
        "а все для его за из к как но о он от по так то у это я",
        """
        больше будет бы был была были было быть вас во вот время вы где года да даже до
        ее если есть еще же или их когда кто меня мне может можно мы нет она они очень
        под после при просто россии сейчас со также того только том ты уже чем чтобы
        этого этом
        """,
    ),
    "Turkish": (
        "bir bu ve",
        "ama ben da daha de en gibi her ile için kadar ne o olan olarak var çok",
        """
        artık aynı bana beni benim bile biz böyle büyük d değil diye doğru göre gün
        güzel hiç iki ilk ise iyi kendi ki mi mı nasıl oldu olduğu olduğunu olur sadece
        sen seni son sonra tarafından tek tüm türk türkiye veya ya yeni yer yok zaman
        önce şey şu
        """,
    ),
}


@cache
def _tables() -> list[dict[str, float]]:
    """Return for each language its words, without accents, and the share of each."""
    return [
        {
            alike(word): share
            for share, group in zip(_SHARES, groups, strict=True)
            for word in group.split()
        }
        for groups in _BY_LANGUAGE.values()
    ]


def shares(words: Iterable[str]) -> dict[str, float]:
    """Return those of some words that are common in their language, each with its share of the
    words of a text. The words are in lower case and without accents. Their language is the one with
    most of them.
    """
    distinct = set(words)
    common = ({word: table[word] for word in distinct & table.keys()} for table in _tables())
    return max(common, key=len)

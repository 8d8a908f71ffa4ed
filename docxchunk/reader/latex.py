r"""The letters and signs of Office Math as LaTeX (ECMA-376 Part 1, 22.1.2.105 to 22.1.2.116: what the text of a run means).

What comes out compiles in KaTeX, in MathJax and in LaTeX with amsmath and amssymb, with these four exceptions:
`\lt` and `\gt` are known to KaTeX and MathJax and need `\providecommand{\lt}{<} \providecommand{\gt}{>}` in LaTeX (a raw `<` would break
HTML and our tags, and no command that all three know is as readable); `\oiint` and `\oiiint` need esint; `\cancel` needs cancel;
letters outside ASCII and Greek stand in `\text{}` and need an engine or an encoding that has them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A character and the command of the same sign. Every command is known to KaTeX and to amssymb.
_COMMANDS = r"""
α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa ϰ varkappa λ lambda μ mu µ mu ν nu
ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon ϕ phi φ varphi χ chi ψ psi ω omega ϝ digamma
Γ Gamma Δ Delta ∆ Delta Θ Theta ϴ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon ϒ Upsilon Φ Phi Ψ Psi Ω Omega Ω Omega ℧ mho
∂ partial ∇ nabla ∞ infty ℓ ell ℏ hbar ℘ wp ℑ Im ℜ Re ℵ aleph ℶ beth ℷ gimel ℸ daleth ı imath ȷ jmath 𝚤 imath 𝚥 jmath ð eth
∅ emptyset ⌀ varnothing ∀ forall ∃ exists ∄ nexists ∁ complement ∠ angle ∡ measuredangle ∢ sphericalangle ⊤ top ⊥ bot ⟂ perp √ surd
± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∙ bullet • bullet ∘ circ ⋆ star ★ bigstar ∖ setminus ≀ wr ⋇ divideontimes ⊺ intercal
⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot ⊚ circledcirc ⊛ circledast ⊝ circleddash ⊞ boxplus ⊟ boxminus ⊠ boxtimes ⊡ boxdot
∩ cap ∪ cup ⊎ uplus ⊓ sqcap ⊔ sqcup ⋒ Cap ⋓ Cup ∧ wedge ∨ vee ⊻ veebar ⊼ barwedge ¬ neg ⋄ diamond ∔ dotplus ⋉ ltimes ⋊ rtimes ⨿ amalg
≤ leq ≥ geq ⩽ leqslant ⩾ geqslant ≦ leqq ≧ geqq ≪ ll ≫ gg ⋘ lll ⋙ ggg ≶ lessgtr ≷ gtrless ⋚ lesseqgtr ⋛ gtreqless ⪅ lessapprox ⪆ gtrapprox
≲ lesssim ≳ gtrsim ⋖ lessdot ⋗ gtrdot ≮ nless ≯ ngtr ≰ nleq ≱ ngeq ≨ lneqq ≩ gneqq ≺ prec ≻ succ ≼ preccurlyeq ≽ succcurlyeq ⪯ preceq ⪰ succeq
≾ precsim ≿ succsim ⊀ nprec ⊁ nsucc ≠ neq ≡ equiv ≈ approx ≊ approxeq ≅ cong ≃ simeq ∼ sim ~ sim ∽ backsim ≁ nsim ≆ ncong ≍ asymp ≐ doteq
≑ doteqdot ≒ fallingdotseq ≓ risingdotseq ≖ eqcirc ≗ circeq ≜ triangleq ≎ Bumpeq ≏ bumpeq ∝ propto ⌣ smile ⌢ frown ⋈ bowtie ≬ between
⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊊ subsetneq ⊋ supsetneq ⊈ nsubseteq ⊉ nsupseteq ⊏ sqsubset ⊐ sqsupset ⊑ sqsubseteq ⊒ sqsupseteq
⋐ Subset ⋑ Supset ⫅ subseteqq ⫆ supseteqq ∈ in ∉ notin ∋ ni ∍ ni ∊ in ⊢ vdash ⊣ dashv ⊨ models ⊩ Vdash ⊪ Vvdash ⊬ nvdash ⊭ nvDash ⊫ Vdash
∣ mid ∤ nmid ∥ parallel ∦ nparallel ⋔ pitchfork ∴ therefore ∵ because ⊲ vartriangleleft ⊳ vartriangleright ⊴ trianglelefteq ⊵ trianglerighteq
← leftarrow → to ↑ uparrow ↓ downarrow ↔ leftrightarrow ↕ updownarrow ↖ nwarrow ↗ nearrow ↘ searrow ↙ swarrow ↦ mapsto ↪ hookrightarrow
↩ hookleftarrow ↼ leftharpoonup ↽ leftharpoondown ⇀ rightharpoonup ⇁ rightharpoondown ⇋ leftrightharpoons ⇌ rightleftharpoons ↿ upharpoonleft
↾ upharpoonright ⇃ downharpoonleft ⇂ downharpoonright ⇐ Leftarrow ⇒ Rightarrow ⇑ Uparrow ⇓ Downarrow ⇔ Leftrightarrow ⇕ Updownarrow
⟵ longleftarrow ⟶ longrightarrow ⟷ longleftrightarrow ⟸ Longleftarrow ⟹ Longrightarrow ⟺ Longleftrightarrow ⟼ longmapsto ↝ rightsquigarrow
↭ leftrightsquigarrow ⇝ rightsquigarrow ↞ twoheadleftarrow ↠ twoheadrightarrow ↢ leftarrowtail ↣ rightarrowtail ⇇ leftleftarrows
⇉ rightrightarrows ⇈ upuparrows ⇊ downdownarrows ⇆ leftrightarrows ⇄ rightleftarrows ↚ nleftarrow ↛ nrightarrow ↮ nleftrightarrow ⇍ nLeftarrow
⇏ nRightarrow ⇎ nLeftrightarrow ⊸ multimap ↶ curvearrowleft ↷ curvearrowright ↺ circlearrowleft ↻ circlearrowright ↫ looparrowleft
↬ looparrowright ⇚ Lleftarrow ⇛ Rrightarrow ↰ Lsh ↱ Rsh
∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint ∰ oiiint ⋀ bigwedge ⋁ bigvee ⋂ bigcap ⋃ bigcup ⨀ bigodot ⨁ bigoplus ⨂ bigotimes
⨄ biguplus ⨆ bigsqcup
… ldots ⋯ cdots ⋮ vdots ⋱ ddots ‵ backprime
⟨ langle ⟩ rangle 〈 langle 〉 rangle 〈 langle 〉 rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ⟮ lgroup ⟯ rgroup ⎰ lmoustache ⎱ rmoustache
△ triangle ▵ triangle ∆ Delta ▽ triangledown ▿ triangledown ▲ blacktriangle ▼ blacktriangledown ◁ triangleleft ▷ triangleright ◃ triangleleft
▹ triangleright ◂ blacktriangleleft ▸ blacktriangleright □ square ◻ square ■ blacksquare ∎ blacksquare ◊ lozenge ⧫ blacklozenge ◯ bigcirc
○ circ ♠ spadesuit ♡ heartsuit ♢ diamondsuit ♣ clubsuit ♭ flat ♮ natural ♯ sharp † dagger ‡ ddagger ✓ checkmark ¶ P § S £ pounds
"""
_ESCAPED = "{}$%#&_"  # written with a backslash, in mathematics and in text alike
_SPACES = {
    " ": r"\ ", "\u00a0": "~", "\u2000": r"\enspace", "\u2001": r"\quad", "\u2002": r"\enspace", "\u2003": r"\quad", "\u2004": r"\;",
    "\u2005": r"\:", "\u2006": r"\,", "\u2007": r"\enspace", "\u2008": r"\,", "\u2009": r"\,", "\u200a": r"\,", "\u202f": r"\,",
    "\u205f": r"\:", "\u3000": r"\quad",
}  # fmt: skip
_SIGNS = {
    "\\": r"\backslash", "<": r"\lt", ">": r"\gt", "^": r"\hat{}", "−": "-", "–": "-", "‐": "-", "‑": "-", "∗": "*", "∕": "/", "⁄": "/",
    "∶": ":", "∷": "::", "‖": r"\|", "∥": r"\parallel", "′": "'", "″": "''", "‴": "'''", "⁗": "''''", "⋰": "{.}^{{.}^{.}}",
    "°": r"^{\circ}", "℃": r"{}^{\circ}\mathrm{C}", "℉": r"{}^{\circ}\mathrm{F}", "≔": ":=", "≕": "=:", "≝": r"\overset{\mathrm{def}}{=}",
    "≞": r"\overset{m}{=}", "≟": r"\overset{?}{=}", "≙": r"\overset{\wedge}{=}", "≚": r"\overset{\vee}{=}", "≛": r"\overset{\star}{=}",
    "∌": r"\not\ni", "⊄": r"\not\subset", "⊅": r"\not\supset", "≢": r"\not\equiv", "≉": r"\not\approx", "≄": r"\not\simeq",
    "⟦": r"[\![", "⟧": r"]\!]", "⟪": r"\langle\!\langle", "⟫": r"\rangle\!\rangle", "⨌": r"\int\!\!\iiint", "∛": r"\sqrt[3]{}",
    "∜": r"\sqrt[4]{}", "ο": "o", "ϐ": r"\beta", "∸": r"\dot{-}", "⟝": r"\vdash", "⊧": r"\models", "∱": r"\int", "∲": r"\oint", "∳": r"\oint",
}  # fmt: skip
_SYMBOLS = {char: f"\\{name}" for char, name in zip(*[iter(_COMMANDS.split())] * 2, strict=True)} | _SIGNS | _SPACES
_SYMBOLS |= {char: f"\\{char}" for char in _ESCAPED}
_SYMBOLS |= {char: rf"\mathrm{{{latin}}}" for char, latin in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True)}
BLANK = frozenset(_SPACES.values())

# What \left, \middle and \right take.
DELIMITERS = {char: char for char in "()[]/|"} | {
    char: _SYMBOLS[char] for char in "{}\\⟨⟩〈〉〈〉⌈⌉⌊⌋⟮⟯⎰⎱‖↑↓↕⇑⇓⇕"
}  # fmt: skip
DELIMITERS |= {"∣": "|", "∥": r"\|", "∕": "/", "（": "(", "）": ")", "［": "[", "］": "]", "｛": r"\{", "｝": r"\}", "｜": "|"}

OPERATORS = {char: _SYMBOLS[char] for char in "∑∏∐∫∬∭∮∯∰⋀⋁⋂⋃⨀⨁⨂⨄⨆⨌∱∲∳"}
INTEGRALS = frozenset("∫∬∭∮∯∰⨌∱∲∳")

_PLAIN_FUNCTIONS = "arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan tanh"
_LIMIT_FUNCTIONS = "det gcd inf lim liminf limsup max min Pr sup"
_FUNCTIONS = frozenset(f"{_PLAIN_FUNCTIONS} {_LIMIT_FUNCTIONS}".split())
_WITH_LIMITS = frozenset(f"\\{name}" for name in _LIMIT_FUNCTIONS.split())
_SPACED = {r"\lim\ \sup": r"\limsup", r"\lim\ \inf": r"\liminf"}

# Combining characters, and the signs that sloppy writers put in their place: over one letter, over more.
_ACCENTS = {
    "\u0300": ("grave", "grave"), "\u0301": ("acute", "acute"), "\u0302": ("hat", "widehat"), "\u0303": ("tilde", "widetilde"),
    "\u0304": ("bar", "overline"), "\u0305": ("bar", "overline"), "\u0306": ("breve", "breve"), "\u0307": ("dot", "dot"),
    "\u0308": ("ddot", "ddot"), "\u030a": ("mathring", "mathring"), "\u030c": ("check", "widecheck"), "\u0332": ("underline", "underline"),
    "\u20d6": ("overleftarrow", "overleftarrow"), "\u20d7": ("vec", "overrightarrow"), "\u20db": ("dddot", "dddot"),
    "\u20dc": ("ddddot", "ddddot"), "\u20e1": ("overleftrightarrow", "overleftrightarrow"), "\u0338": ("not", "not"),
    "\u20ee": ("underleftarrow", "underleftarrow"), "\u20ef": ("underrightarrow", "underrightarrow"), "\u23de": ("overbrace", "overbrace"),
    "\u23df": ("underbrace", "underbrace"),
}  # fmt: skip
_ACCENTS["\u030c"] = ("check", "check")  # \widecheck is KaTeX only
_SAME_ACCENT = dict(
    zip(
        "`´^ˆ~˜¯‾˘˙¨˚ˇ→←↔_",
        "\u0300\u0301\u0302\u0302\u0303\u0303\u0304\u0305\u0306\u0307\u0308\u030a\u030c\u20d7\u20d6\u20e1\u0332",
        strict=True,
    )
)
_STACKED_ACCENTS = {
    "\u033f": r"\overline{\overline{%s}}", "\u0333": r"\underline{\underline{%s}}", "\u20d0": r"\overset{\leftharpoonup}{%s}",
    "\u20d1": r"\overset{\rightharpoonup}{%s}", "\u0311": r"\overset{\frown}{%s}", "\u23dc": r"\overset{\frown}{%s}",
    "\u23dd": r"\underset{\smile}{%s}", "\u0331": r"\underline{%s}", "\u0323": r"\underset{.}{%s}", "\u20e5": r"\not{%s}",
}  # fmt: skip

_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜ", "0123456789+-=()aeoxhklmnpst", strict=True))
_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_TOKEN = re.compile(
    rf"(?P<marked>[^\u0300-\u036f\u20d0-\u20ff][\u0300-\u036f\u20d0-\u20ff]+)|(?P<word>[{_LATIN}]+(?![\u0300-\u036f\u20d0-\u20ff]))|(?P<number>[0-9]+)"
    rf"|(?P<sup>[{''.join(_SUPERSCRIPTS)}]+)|(?P<sub>[{''.join(_SUBSCRIPTS)}]+)|(?P<other>.)",
    re.DOTALL,
)
_CJK_MARKS = frozenset("，。、；：！？“”‘’《》「」『』【】")
_ATOM = re.compile(r"[0-9]+|[^\\{}^_&'~]|\\[A-Za-z]+|\\[A-Za-z]+\{[^{}]*\}|\\[{}|$%#&_]")
_NAME = re.compile(r"(?:\{([A-Za-z]{2,})\}|\\(?:mathrm|text)\{([A-Za-z]{2,})\}|([A-Za-z]{2,}))(?=$|[_^'])")


class Style(NamedTuple):
    """How a run is set: m:scr (22.1.2.95), m:sty (22.1.2.111: p, b, i or bi), m:nor (22.1.2.73), m:lit (22.1.2.63)."""

    script: str = "roman"
    weight: str = "i"
    normal: bool = False
    literal: bool = False


class Atom(NamedTuple):
    """The smallest piece of a formula, and the commands to wrap it in, outermost first."""

    alphabets: tuple[str, ...]
    text: str


def latex_text(text: str, style: Style = Style()) -> str:  # noqa: B008 - a constant
    """A string of a run as LaTeX."""
    return write(atoms(text, style))


def atoms(text: str, style: Style) -> list[Atom]:
    """The atoms of a string, none of them empty."""
    found = (_token(match.lastgroup or "other", match[0], style) for match in _TOKEN.finditer(text))
    return [atom for atom in found if atom.text]


def write(found: Iterable[Atom]) -> str:
    r"""Atoms one after the other, neighbours of one alphabet in one command: `\mathbf{uv}`."""
    return join(_wrap(alphabets, [atom.text for atom in group]) for alphabets, group in groupby(found, lambda atom: atom.alphabets))


def trim(found: Sequence[Atom]) -> Sequence[Atom]:
    """The atoms without the spaces at both ends."""
    start, end = 0, len(found)
    while start < end and found[start].text in BLANK:
        start += 1
    while end > start and found[end - 1].text in BLANK:
        end -= 1
    return found[start:end]


def join(texts: Iterable[str]) -> str:
    r"""Pieces of LaTeX one after the other: `\alpha` and `x` kept apart, and a prime or script given a base where the last piece may have its own."""
    out: list[str] = []
    last = ""
    for text in texts:
        if last and text:
            if text[0] in "'^_" and not (last[-1].isalnum() or last[-1] in ")]'" or is_atom(last)):
                out.append("{}")
            elif text[0].isalpha() and text[0].isascii() and _ends_in_command(last):
                out.append(" ")
        out.append(text)
        last = text or last
    return "".join(out)


def is_atom(text: str) -> bool:
    """Whether it can carry a script or an accent without braces."""
    return _ATOM.fullmatch(text) is not None


def braced(text: str) -> str:
    """Fit to carry a script: `x`, `{ab}`, `{}`."""
    return text if is_atom(text) else f"{{{text}}}"


def accent(char: str, text: str) -> str:
    """`text` under (or over) an accent, by its combining character or the spacing one that looks like it."""
    char = _SAME_ACCENT.get(char, char)
    if char in _STACKED_ACCENTS:
        return _STACKED_ACCENTS[char] % text
    if char in _ACCENTS:
        return f"\\{_ACCENTS[char][not is_atom(text)]}{{{text}}}"
    place = "underset" if unicodedata.combining(char[:1] or " ") in (202, 220) else "overset"
    mark = latex_text(char)
    return rf"\{place}{{{mark}}}{{{text}}}" if mark else text


def function_name(text: str) -> str:
    r"""The name of a function as an operator: `\sin`, `\operatorname{sinc}`, `\sin^{-1}`; unchanged where it is no word."""
    text = _SPACED.get(text, text)
    match = _NAME.match(text)
    return _operator(match[1] or match[2] or match[3], "operatorname") + text[match.end() :] if match else text


def limit_name(text: str) -> str | None:
    r"""What takes its limits below it (`\lim`, `\operatorname*{argmax}`), or None."""
    text = _SPACED.get(text, text)
    if text in _WITH_LIMITS or text.startswith(r"\operatorname*{"):
        return text
    match = _NAME.fullmatch(text.replace(r"\operatorname{", r"\mathrm{"))
    name = match and _operator(match[1] or match[2] or match[3], "operatorname*")
    return name if name in _WITH_LIMITS or (name and name.startswith(r"\op")) else None


def _operator(word: str, command: str) -> str:
    return f"\\{word}" if word in _FUNCTIONS else rf"\{command}{{{word}}}"


def _ends_in_command(text: str) -> bool:
    return text[-1].isalpha() and "\\" in text and text[text.rfind("\\") + 1 :].isalpha()


def _wrap(alphabets: tuple[str, ...], texts: list[str]) -> str:
    text = "".join(texts) if "text" in alphabets else join(texts)
    for name in reversed(alphabets):
        text = f"\\{name}{{{text}}}"
    return text


@lru_cache(maxsize=4096)
def _token(kind: str, token: str, style: Style) -> Atom:
    if style.normal:
        return _normal(kind, token)
    match kind:
        case "word" if token.isascii():
            return _word(token, style)
        case "word" if len(token) > 1:
            return Atom(("text",), token)
        case "number":
            return Atom(_alphabets(style) if style.weight != "p" or style.script != "roman" else (), token)
        case "sup":
            return Atom((), "^{" + "".join(map(_SUPERSCRIPTS.__getitem__, token)) + "}")
        case "sub":
            return Atom((), "_{" + "".join(map(_SUBSCRIPTS.__getitem__, token)) + "}")
        case "marked":
            return Atom((), _marked(token, style))
        case _:
            return _char(token, style)


def _normal(kind: str, token: str) -> Atom:
    """Of normal text (m:nor): everything that is no mathematical sign stays text."""
    if kind in ("word", "number", "marked"):
        return Atom(("text",), token)
    if token in _ESCAPED:
        return Atom(("text",), f"\\{token}")
    if (token.isascii() and token.isprintable() and token not in _SIGNS) or unicodedata.category(token[0])[0] in "PZ":
        return Atom(("text",), token)
    return _token(kind, token, Style(weight="p"))


def _word(word: str, style: Style) -> Atom:
    if style.weight == "p" and style.script == "roman" and word in _FUNCTIONS:
        return Atom((), f"\\{word}")
    return Atom(_alphabets(style), word)


def _char(char: str, style: Style) -> Atom:
    if char in _SYMBOLS:
        return Atom(("boldsymbol",) if style.weight in ("b", "bi") and _takes_bold(char) else (), _SYMBOLS[char])
    if char.isascii():
        return Atom(("text",), char) if char in '"`' else Atom((), char if char.isprintable() else r"\ ")
    category = unicodedata.category(char)
    if category in ("Cf", "Cn", "Cs"):
        return Atom((), "")
    if category in ("Cc", "Zl", "Zp", "Zs"):
        return Atom((), r"\ ")
    return _composed(char, style)


def _composed(char: str, style: Style) -> Atom:
    """Of a character that Unicode derives from others: a letter of a mathematical alphabet, an accented letter, ½, a full width sign."""
    kind, _, rest = unicodedata.decomposition(char).rpartition(">")
    base = "".join(chr(int(code, 16)) for code in rest.split())
    match kind:
        case "<font":
            return _token(
                "word" if base.isalpha() and base.isascii() else "number" if base.isdigit() else "other", base, _named_style(char)
            )
        case "<fraction":
            above, _, below = base.partition("⁄")
            return Atom((), rf"\frac{{{above}}}{{{below}}}")
        case "<wide" if char not in _CJK_MARKS:
            return _token("word" if base.isalpha() else "number" if base.isdigit() else "other", base, style)
        case "" if len(base) == 2 and base[0].isascii() and base[1] in _ACCENTS:
            return Atom((), _marked(base, style))
    return Atom(("text",), char)


def _marked(token: str, style: Style) -> str:
    """A base with combining characters: `x̂`."""
    text = write([_token("word" if token[0].isalpha() and token[0].isascii() else "other", token[0], style)])
    for mark in token[1:]:
        text = accent(mark, text)
    return text


def _takes_bold(char: str) -> bool:
    return char in "∂∇∞ℓℏ" or "Ͱ" <= char <= "Ͽ"


def _named_style(char: str) -> Style:
    """The style in the name of a character: MATHEMATICAL BOLD FRAKTUR CAPITAL A."""
    name = unicodedata.name(char, "")
    script = next((script for word, script in _SCRIPT_WORDS.items() if word in name), "roman")
    return Style(script, "bi" if "BOLD ITALIC" in name else "b" if "BOLD" in name else "i")


_SCRIPT_WORDS = {
    "SCRIPT": "script", "FRAKTUR": "fraktur", "BLACK-LETTER": "fraktur", "DOUBLE-STRUCK": "double-struck", "SANS-SERIF": "sans-serif",
    "MONOSPACE": "monospace",
}  # fmt: skip
_SCRIPTS = {"script": "mathcal", "fraktur": "mathfrak", "double-struck": "mathbb", "sans-serif": "mathsf", "monospace": "mathtt"}
_WEIGHTS: dict[str, tuple[str, ...]] = {"p": ("mathrm",), "b": ("mathbf",), "bi": ("boldsymbol",)}


def _alphabets(style: Style) -> tuple[str, ...]:
    if style.script not in _SCRIPTS:
        return _WEIGHTS.get(style.weight, ())
    bold = ("boldsymbol",) if style.weight in ("b", "bi") else ()
    return (*bold, _SCRIPTS[style.script])

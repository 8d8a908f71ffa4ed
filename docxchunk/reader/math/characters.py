r"""Write the text of Office Math (m:t; ECMA-376 Part 1, 22.1.2.116) as LaTeX.

The result compiles in KaTeX, in MathJax and in LaTeX with amsmath and amssymb, with these
exceptions: `\oiint` needs esint or newtxmath in LaTeX, `\oiiint` newtxmath; MathJax 3 has neither.
`\cancel` needs cancel, `\overbracket` and `\underbracket` mathtools.
Letters outside ASCII and Greek are put into `\text{}` and need an engine or an encoding that
supports them.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

# Pairs of a character and its command. KaTeX and amssymb have all of these commands.
_COMMANDS = r"""
α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota
κ kappa ϰ varkappa λ lambda μ mu µ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma
τ tau υ upsilon ϕ phi φ varphi χ chi ψ psi ω omega ϝ digamma Γ Gamma Δ Delta ∆ Delta Θ Theta
ϴ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon ϒ Upsilon Φ Phi Ψ Psi Ω Omega Ω Omega ℧ mho
∂ partial ∇ nabla ∞ infty ℓ ell ℏ hbar ℘ wp ℑ Im ℜ Re ℵ aleph ℶ beth ℷ gimel ℸ daleth ı imath
ȷ jmath 𝚤 imath 𝚥 jmath ð eth ∅ emptyset ⌀ varnothing ∀ forall ∃ exists ∄ nexists ∁ complement
∠ angle ∡ measuredangle ∢ sphericalangle ⊤ top ⊥ bot ⟂ perp √ surd ± pm ∓ mp × times ÷ div
· cdot ⋅ cdot ∙ bullet • bullet ∘ circ ⋆ star ★ bigstar ∖ setminus ≀ wr ⋇ divideontimes
⊺ intercal ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot ⊚ circledcirc ⊛ circledast ⊝ circleddash
⊞ boxplus ⊟ boxminus ⊠ boxtimes ⊡ boxdot ∩ cap ∪ cup ⊎ uplus ⊓ sqcap ⊔ sqcup ⋒ Cap ⋓ Cup ∧ wedge
∨ vee ⊻ veebar ⊼ barwedge ¬ neg ⋄ diamond ∔ dotplus ⋉ ltimes ⋊ rtimes ⨿ amalg ≤ leq ≥ geq
⩽ leqslant ⩾ geqslant ≦ leqq ≧ geqq ≪ ll ≫ gg ⋘ lll ⋙ ggg ≶ lessgtr ≷ gtrless ⋚ lesseqgtr
⋛ gtreqless ⪅ lessapprox ⪆ gtrapprox ≲ lesssim ≳ gtrsim ⋖ lessdot ⋗ gtrdot ≮ nless ≯ ngtr ≰ nleq
≱ ngeq ≨ lneqq ≩ gneqq ≺ prec ≻ succ ≼ preccurlyeq ≽ succcurlyeq ⪯ preceq ⪰ succeq ≾ precsim
≿ succsim ⊀ nprec ⊁ nsucc ≠ neq ≡ equiv ≈ approx ≊ approxeq ≅ cong ≃ simeq ∼ sim ~ sim ∽ backsim
≁ nsim ≆ ncong ≍ asymp ≐ doteq ≑ doteqdot ≒ fallingdotseq ≓ risingdotseq ≖ eqcirc ≗ circeq
≜ triangleq ≎ Bumpeq ≏ bumpeq ∝ propto ⌣ smile ⌢ frown ⋈ bowtie ≬ between ⊂ subset ⊃ supset
⊆ subseteq ⊇ supseteq ⊊ subsetneq ⊋ supsetneq ⊈ nsubseteq ⊉ nsupseteq ⊏ sqsubset ⊐ sqsupset
⊑ sqsubseteq ⊒ sqsupseteq ⋐ Subset ⋑ Supset ⫅ subseteqq ⫆ supseteqq ∈ in ∉ notin ∋ ni ∍ ni ∊ in
⊢ vdash ⊣ dashv ⊨ models ⊩ Vdash ⊪ Vvdash ⊬ nvdash ⊭ nvDash ⊫ Vdash ∣ mid ∤ nmid ∥ parallel
∦ nparallel ⋔ pitchfork ∴ therefore ∵ because ⊲ vartriangleleft ⊳ vartriangleright
⊴ trianglelefteq ⊵ trianglerighteq ← leftarrow → to ↑ uparrow ↓ downarrow ↔ leftrightarrow
↕ updownarrow ↖ nwarrow ↗ nearrow ↘ searrow ↙ swarrow ↦ mapsto ↪ hookrightarrow ↩ hookleftarrow
↼ leftharpoonup ↽ leftharpoondown ⇀ rightharpoonup ⇁ rightharpoondown ⇋ leftrightharpoons
⇌ rightleftharpoons ↿ upharpoonleft ↾ upharpoonright ⇃ downharpoonleft ⇂ downharpoonright
⇐ Leftarrow ⇒ Rightarrow ⇑ Uparrow ⇓ Downarrow ⇔ Leftrightarrow ⇕ Updownarrow ⟵ longleftarrow
⟶ longrightarrow ⟷ longleftrightarrow ⟸ Longleftarrow ⟹ Longrightarrow ⟺ Longleftrightarrow
⟼ longmapsto ↝ rightsquigarrow ↭ leftrightsquigarrow ⇝ rightsquigarrow ↞ twoheadleftarrow
↠ twoheadrightarrow ↢ leftarrowtail ↣ rightarrowtail ⇇ leftleftarrows ⇉ rightrightarrows
⇈ upuparrows ⇊ downdownarrows ⇆ leftrightarrows ⇄ rightleftarrows ↚ nleftarrow ↛ nrightarrow
↮ nleftrightarrow ⇍ nLeftarrow ⇏ nRightarrow ⇎ nLeftrightarrow ⊸ multimap ↶ curvearrowleft
↷ curvearrowright ↺ circlearrowleft ↻ circlearrowright ↫ looparrowleft ↬ looparrowright
⇚ Lleftarrow ⇛ Rrightarrow ↰ Lsh ↱ Rsh ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint
∰ oiiint ⋀ bigwedge ⋁ bigvee ⋂ bigcap ⋃ bigcup ⨀ bigodot ⨁ bigoplus ⨂ bigotimes ⨄ biguplus
⨆ bigsqcup … ldots ⋯ cdots ⋮ vdots ⋱ ddots ‵ backprime ⟨ langle ⟩ rangle ⌈ lceil ⌉ rceil
⌊ lfloor ⌋ rfloor ⟮ lgroup ⟯ rgroup ⎰ lmoustache ⎱ rmoustache △ triangle ▵ triangle ∆ Delta
▽ triangledown ▿ triangledown ▲ blacktriangle ▼ blacktriangledown ◁ triangleleft ▷ triangleright
◃ triangleleft ▹ triangleright ◂ blacktriangleleft ▸ blacktriangleright □ square ◻ square
■ blacksquare ∎ blacksquare ◊ lozenge ⧫ blacklozenge ◯ bigcirc ○ circ ♠ spadesuit ♡ heartsuit
♢ diamondsuit ♣ clubsuit ♭ flat ♮ natural ♯ sharp † dagger ‡ ddagger ✓ checkmark
"""
# Pairs of a character and what is written for it.
_SIGNS = r"""
\ \backslash < < > > ^ \hat{} − - – - ‐ - ‑ - ∗ * ∕ / ⁄ / ∶ : ∷ :: ‖ \| ′ ' ″ '' ‴ ''' ⁗ ''''
⋰ {.}^{{.}^{.}} ∌ \not\ni ° ^{\circ} ℃ {}^{\circ}\mathrm{C} ℉ {}^{\circ}\mathrm{F} ≔ := ≕ =:
≝ \overset{\mathrm{def}}{=} ≞ \overset{m}{=} ≟ \overset{?}{=} ≙ \overset{\wedge}{=}
≚ \overset{\vee}{=} ≛ \overset{\star}{=} ⊄ \not\subset ⊅ \not\supset ≢ \not\equiv ≉ \not\approx
≄ \not\simeq ∛ \sqrt[3]{} ∜ \sqrt[4]{} ⟦ [\![ ⟧ ]\!] ⟪ \langle\!\langle ⟫ \rangle\!\rangle
⨌ \int\!\!\iiint ∸ \dot{-} ∱ \int ∲ \oint ∳ \oint ⊧ \models ϐ \beta ο o ‼ !!
↤ \mathrel{\leftarrow\!\shortmid} ∹ -{:} ≘ \overset{\frown}{=} ⦵ \ominus ⩴ ::= ⌜ \ulcorner
⌝ \urcorner ⌞ \llcorner ⌟ \lrcorner ⦃ \{\!| ⦄ |\!\} 〈 \langle 〉 \rangle
"""
# The same by code points: spaces, and signs that look alike.
_BY_CODE = r"""
0020 \ 00a0 ~ 2000 \enspace 2001 \quad 2002 \enspace 2003 \quad 2004 \; 2005 \: 2006 \,
2007 \enspace 2008 \, 2009 \, 200a \, 202f \, 205f \: 3000 \quad 2329 \langle
232a \rangle
"""
# Combining characters: code point, and the accents over one letter and over more.
_ACCENTS = """
0300 grave grave 0301 acute acute 0302 hat widehat 0303 tilde widetilde 0304 bar overline
0305 bar overline 0306 breve breve 0307 dot dot 0308 ddot ddot 030a mathring mathring
030c check check 0331 underline underline 0332 underline underline 0338 not not
20d6 overleftarrow overleftarrow 20d7 vec overrightarrow 20db dddot dddot 20dc ddddot ddddot
20e1 overleftrightarrow overleftrightarrow 20ee underleftarrow underleftarrow
20ef underrightarrow underrightarrow 23de overbrace overbrace 23df underbrace underbrace
"""
_OTHER_ACCENTS = r"""
033f \overline{\overline{%s}} 0333 \underline{\underline{%s}} 20d0 \overset{\leftharpoonup}{%s}
20d1 \overset{\rightharpoonup}{%s} 0311 \overset{\frown}{%s} 23dc \overset{\frown}{%s}
23dd \underset{\smile}{%s} 0323 \underset{.}{%s}
"""


def pairs(table: str) -> Iterable[tuple[str, str]]:
    """Return the words of a table, two by two."""
    return zip(*[iter(table.split())] * 2, strict=True)


def _by_code(table: str) -> dict[str, str]:
    return {chr(int(code, 16)): text for code, text in pairs(table)}


ESCAPED = "{}$%#&_"  # written with a backslash, in mathematics and in text alike
SYMBOLS = {char: f"\\{name}" for char, name in pairs(_COMMANDS)} | dict(pairs(_SIGNS))
SYMBOLS |= _by_code(_BY_CODE) | {char: f"\\{char}" for char in ESCAPED} | {" ": r"\ "}
SYMBOLS |= {
    char: rf"\mathrm{{{latin}}}"
    for char, latin in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True)
}
_IN_TEXT = frozenset("–‐‑…†‡¶§£·•")  # signs that stay text in normal text
_CJK_MARKS = frozenset("，。、；：！？“”‘’《》「」『』【】")

# Delimiters for \left, \middle and \right.
DELIMITERS = {char: char for char in "()[]/|"}
DELIMITERS |= {char: SYMBOLS[char] for char in "{}\\⟨⟩\u2329\u232a\u3008\u3009⌈⌉⌊⌋⟮⟯⎰⎱‖↑↓↕⇑⇓⇕"}
DELIMITERS |= {"<": r"\langle", ">": r"\rangle", "∥": r"\|"}
DELIMITERS |= dict(pairs(r"∣ | ∕ / （ ( ） ) ［ [ ］ ] ｛ \{ ｝ \} ｜ |"))

OPERATORS = {char: SYMBOLS[char] for char in "∑∏∐∫∬∭∮∯∰⋀⋁⋂⋃⨀⨁⨂⨄⨆⨌∱∲∳"}
INTEGRALS = frozenset("∫∬∭∮∯∰⨌∱∲∳")

_LIMIT_FUNCTIONS = frozenset("det gcd inf lim liminf limsup max min Pr sup".split())
FUNCTIONS = _LIMIT_FUNCTIONS.union(
    "arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan "
    "tanh".split()
)
_SPACED = {r"\lim\ \sup": r"\limsup", r"\lim\ \inf": r"\liminf"}

ACCENTS = {
    chr(int(code, 16)): (letter, letters)
    for code, letter, letters in zip(*[iter(_ACCENTS.split())] * 3, strict=True)
}
OTHER_ACCENTS = _by_code(_OTHER_ACCENTS)
# spacing characters that some writers use for a combining one
_LOOKALIKES = dict(
    zip(
        "`´^ˆ~˜¯‾˘˙¨˚ˇ→←↔_",
        "\u0300\u0301\u0302\u0302\u0303\u0303\u0304\u0305\u0306\u0307\u0308\u030a\u030c\u20d7\u20d6\u20e1\u0332",
        strict=True,
    ),
)

# The mathematical alphabets: by words in Unicode names, by m:scr, by m:sty.
_SCRIPT_WORDS = dict(
    pairs(
        "SCRIPT script FRAKTUR fraktur BLACK-LETTER fraktur DOUBLE-STRUCK double-struck "
        "SANS-SERIF sans-serif MONOSPACE monospace"
    )
)
_SCRIPTS = dict(
    pairs("script mathcal fraktur mathfrak double-struck mathbb sans-serif mathsf monospace mathtt")
)
_WEIGHTS = {"p": ("mathrm",), "b": ("mathbf",), "bi": ("boldsymbol",)}

_MARKS = "\u0300-\u036f\u20d0-\u20ff"
_MOST_MARKS = 5  # a base and four combining marks; more (Zalgo text) are dropped
_MARK = re.compile(f"[{_MARKS}]")
_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_LEXEME = re.compile(
    rf"(?P<marked>[^{_MARKS}][{_MARKS}]+)|(?P<word>(?:[{_LATIN}](?![{_MARKS}]))+)"
    rf"|(?P<number>[0-9]+)|(?P<gap> {{2,}})"
    r"|(?P<other>.)",
    re.DOTALL,
)
# LaTeX spaces operators itself
_TYPED_SPACE = re.compile(r"(?<! ) ?([-=+−–×÷±∓<>≤≥≠≈≡→∈∩∪⊂⊆]) ?(?! )")
_ATOM = re.compile(r"[0-9]+|[^\\{}^_&'~]|\\[A-Za-z]+|\\[A-Za-z]+\{[^{}]*\}|\\[{}|$%#&_]")
_WORD = re.compile(
    r"(?:\{([A-Za-z]{2,})\}|\\(?:mathrm|text|operatorname)\{([A-Za-z]{2,})\}"
    r"|([A-Za-z]{2,}))(?=$|[_^'])"
)


class MathStyle(NamedTuple):
    """The style of a run: m:scr (22.1.2.94), m:sty (22.1.2.111: p, b, i or bi), m:nor (22.1.2.74),
    m:lit (22.1.2.58).
    """

    script: str = "roman"
    weight: str = "i"
    normal: bool = False
    literal: bool = False


ITALIC = MathStyle()
NORMAL = MathStyle(normal=True)


class LatexAtom(NamedTuple):
    """The smallest unit of a formula, and the commands to wrap it in, outermost first."""

    alphabets: tuple[str, ...]
    text: str


def latex_text(text: str, style: MathStyle = ITALIC) -> str:
    """Return the text of a run as LaTeX."""
    return write(atoms(text, style))


def atoms(text: str, style: MathStyle) -> list[LatexAtom]:
    """Return the atoms of a text; none of them is empty."""
    text = text if style.normal else _TYPED_SPACE.sub(r"\1", text)
    lexemes = (_atom(str(match.lastgroup), match[0], style) for match in _LEXEME.finditer(text))
    return [atom for atom in lexemes if atom.text]


def write(parts: Iterable[LatexAtom]) -> str:
    r"""Join atoms; neighbours with the same commands share them: `\mathbf{uv}`."""
    return join(
        _wrap(alphabets, [atom.text for atom in group])
        for alphabets, group in groupby(parts, lambda atom: atom.alphabets)
    )


def join(texts: Iterable[str]) -> str:
    r"""Join LaTeX texts. `\alpha` and `x` are kept apart by a space. A prime or script gets the
    base `{}` if it must not attach to the text before it.
    """
    out: list[str] = []
    last = ""
    for text in texts:
        if last and text:
            if text[0] in "'^_" and not (last[-1].isalnum() or last[-1] in ")]'" or is_atom(last)):
                out.append("{}")
            elif (text[0].isalnum() or text[0] == "@") and _ends_in_command(last):
                out.append(" ")
        out.append(text)
        last = text or last
    return "".join(out)


def is_atom(text: str) -> bool:
    """Return whether the text can take a script or an accent without braces."""
    return _ATOM.fullmatch(text) is not None


def braced(text: str) -> str:
    """Return the text in braces unless it is an atom: `x`, `{ab}`, `{}`."""
    return text if is_atom(text) else f"{{{text}}}"


def accent(char: str, text: str) -> str:
    """Return `text` with an accent, given by a combining character or a spacing lookalike;
    unchanged if LaTeX has no such accent.
    """
    char = _LOOKALIKES.get(char, char)
    if char in OTHER_ACCENTS:
        return OTHER_ACCENTS[char] % text
    if char in ACCENTS:
        return f"\\{ACCENTS[char][not is_atom(text)]}{{{text}}}"
    mark = "" if _MARK.match(char) else latex_text(char)
    return rf"\overset{{{mark}}}{{{text}}}" if mark else text


def function_name(text: str) -> str:
    r"""Return a function name as an operator: `\sin`, `\operatorname{sinc}`, `\sin^{-1}`; unchanged
    if it is not a word.
    """
    text = _SPACED.get(text, text)
    match = _WORD.match(text)
    if not match:
        return text
    word = match[1] or match[2] or match[3]
    return (f"\\{word}" if word in FUNCTIONS else rf"\operatorname{{{word}}}") + text[match.end() :]


def limit_name(text: str) -> str | None:
    r"""Return the operator for a name that takes limits, `\lim` or `\operatorname*{argmax}`; None
    if it is not a word.
    """
    text = _SPACED.get(text, text)
    if text[1:] in _LIMIT_FUNCTIONS:
        return text
    match = _WORD.fullmatch(text)
    word = match and (match[1] or match[2] or match[3])
    if not word:
        return None
    return f"\\{word}" if word in _LIMIT_FUNCTIONS else rf"\operatorname*{{{word}}}"


def _ends_in_command(text: str) -> bool:
    return "\\" in text and text.rpartition("\\")[2].isalpha()


def _wrap(alphabets: tuple[str, ...], texts: list[str]) -> str:
    text = "".join(texts) if "text" in alphabets else join(texts)
    for name in reversed(alphabets):
        text = f"\\{name}{{{text}}}"
    return text


@lru_cache(maxsize=4096)
def _atom(kind: str, lexeme: str, style: MathStyle) -> LatexAtom:
    """Return one lexeme of a run as an atom."""
    return _normal(kind, lexeme) if style.normal else _KINDS[kind](lexeme, style)


def _normal(kind: str, lexeme: str) -> LatexAtom:
    """Return a lexeme of normal text (m:nor): everything but mathematical signs stays text."""
    if lexeme in ESCAPED:
        return LatexAtom(("text",), f"\\{lexeme}")
    if kind in ("word", "number") or lexeme in _IN_TEXT:
        return LatexAtom(("text",), lexeme)
    if (
        kind == "marked"
        and len(composed := unicodedata.normalize("NFC", lexeme)) == 1
        and composed.isalpha()
    ):
        return LatexAtom(("text",), composed)
    if unicodedata.category(lexeme[0]) == "Zs":
        return LatexAtom(("text",), "~" if lexeme == "\u00a0" else " ")
    if (
        kind != "marked"
        and lexeme not in SYMBOLS
        and (lexeme in string.punctuation or unicodedata.category(lexeme[0])[0] == "P")
    ):
        return LatexAtom(("text",), lexeme)
    return _atom(kind, lexeme, MathStyle(weight="p"))


def _word(word: str, style: MathStyle) -> LatexAtom:
    if word.isascii():
        is_function = style.weight == "p" and style.script == "roman" and word in FUNCTIONS
        return LatexAtom((), f"\\{word}") if is_function else LatexAtom(_alphabets(style), word)
    return _char(word, style) if len(word) == 1 else LatexAtom(("text",), word)


def _number(digits: str, style: MathStyle) -> LatexAtom:
    return LatexAtom(
        () if style.weight == "p" and style.script == "roman" else _alphabets(style), digits
    )


def _gap(_spaces: str, _style: MathStyle) -> LatexAtom:
    return LatexAtom((), r"\quad")


# by Unicode category; Co: private use
_UNPRINTABLE = {
    "Cc": r"\ ",
    "Zl": r"\ ",
    "Zp": r"\ ",
    "Zs": r"\ ",
    "Cf": "",
    "Cn": "",
    "Cs": "",
    "Co": r"\square",
}


def _char(char: str, style: MathStyle) -> LatexAtom:
    if char in SYMBOLS:
        return LatexAtom(
            ("boldsymbol",) if style.weight in ("b", "bi") and _takes_bold(char) else (),
            SYMBOLS[char],
        )
    if _MARK.match(char):
        return LatexAtom((), accent(char, ""))
    if (category := unicodedata.category(char)) in _UNPRINTABLE:
        return LatexAtom((), _UNPRINTABLE[category])
    if char.isascii():
        return LatexAtom(("text",) if char in '"`' else (), char)
    return _composed(char, style)


def _composed(char: str, style: MathStyle) -> LatexAtom:
    """Return a character by its Unicode decomposition: letters of mathematical alphabets, accented
    letters, raised and lowered digits, full-width signs.
    """
    form, _, codes = unicodedata.decomposition(char).rpartition(">")
    base = "".join(chr(int(code, 16)) for code in codes.split())
    match form:
        case "<font":
            return _atom(_kind(base), base, _named_style(char))
        case "<wide" if char not in _CJK_MARKS:
            return _atom(_kind(base), base, style)
        case "<super" | "<sub":
            return LatexAtom((), f"{'^' if form == '<super' else '_'}{{{base.replace('−', '-')}}}")
        case "" if base and base[0].isascii() and base[-1] in ACCENTS:
            return _marked(base, style)
    return LatexAtom(("text",), char)


def _kind(base: str) -> str:
    return (
        "word"
        if base.isascii() and base.isalpha()
        else "number"
        if base.isascii() and base.isdigit()
        else "other"
    )


def _marked(lexeme: str, style: MathStyle) -> LatexAtom:
    """Return a base with combining characters: `x̂`."""
    composed = unicodedata.normalize("NFC", lexeme)
    if composed in SYMBOLS:
        return _char(composed, style)
    text = write([_atom(_kind(lexeme[0]), lexeme[0], style)])
    for mark in lexeme[1:_MOST_MARKS]:
        text = accent(mark, text)
    return LatexAtom((), text)


_KINDS: Mapping[str, Callable[[str, MathStyle], LatexAtom]] = {
    "word": _word,
    "number": _number,
    "gap": _gap,
    "marked": _marked,
    "other": _char,
}


def _takes_bold(char: str) -> bool:
    return char in "∂∇∞ℓℏ" or "Ͱ" <= char <= "Ͽ"


def _named_style(char: str) -> MathStyle:
    """Return the style given by the Unicode name of a character, such as MATHEMATICAL BOLD FRAKTUR
    CAPITAL A.
    """
    name = unicodedata.name(char, "")
    script = next((script for word, script in _SCRIPT_WORDS.items() if word in name), "roman")
    return MathStyle(script, "bi" if "BOLD ITALIC" in name else "b" if "BOLD" in name else "i")


def _alphabets(style: MathStyle) -> tuple[str, ...]:
    if style.script not in _SCRIPTS:
        return _WEIGHTS.get(style.weight, ())
    bold = ("boldsymbol",) if style.weight in ("b", "bi") else ()
    return (*bold, _SCRIPTS[style.script])

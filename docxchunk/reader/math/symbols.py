"""Tables of Unicode characters and their LaTeX commands, for `characters` and `structures`."""

from __future__ import annotations

# Pairs of a character and its command. KaTeX and amssymb have all of these commands.
_COMMANDS = r"""
α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota
κ kappa ϰ varkappa λ lambda μ mu µ mu
ν nu
ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon ϕ phi φ varphi χ chi ψ psi
ω omega ϝ digamma
Γ Gamma Δ Delta ∆ Delta Θ Theta ϴ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon ϒ Upsilon Φ Phi Ψ Psi
Ω Omega Ω Omega ℧ mho
∂ partial ∇ nabla ∞ infty ℓ ell ℏ hbar ℘ wp ℑ Im ℜ Re ℵ aleph ℶ beth ℷ gimel ℸ daleth ı imath
ȷ jmath 𝚤 imath 𝚥 jmath ð eth
∅ emptyset ⌀ varnothing ∀ forall ∃ exists ∄ nexists ∁ complement ∠ angle ∡ measuredangle
∢ sphericalangle ⊤ top ⊥ bot ⟂ perp √ surd
± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∙ bullet • bullet ∘ circ ⋆ star ★ bigstar ∖ setminus ≀ wr
⋇ divideontimes ⊺ intercal
⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot ⊚ circledcirc ⊛ circledast ⊝ circleddash ⊞ boxplus
⊟ boxminus ⊠ boxtimes ⊡ boxdot
∩ cap ∪ cup ⊎ uplus ⊓ sqcap ⊔ sqcup ⋒ Cap ⋓ Cup ∧ wedge ∨ vee ⊻ veebar ⊼ barwedge ¬ neg ⋄ diamond
∔ dotplus ⋉ ltimes ⋊ rtimes
⨿ amalg
≤ leq ≥ geq ⩽ leqslant ⩾ geqslant ≦ leqq ≧ geqq ≪ ll ≫ gg ⋘ lll ⋙ ggg ≶ lessgtr ≷ gtrless
⋚ lesseqgtr ⋛ gtreqless ⪅ lessapprox
⪆ gtrapprox
≲ lesssim ≳ gtrsim ⋖ lessdot ⋗ gtrdot ≮ nless ≯ ngtr ≰ nleq ≱ ngeq ≨ lneqq ≩ gneqq ≺ prec ≻ succ
≼ preccurlyeq ≽ succcurlyeq
⪯ preceq ⪰ succeq
≾ precsim ≿ succsim ⊀ nprec ⊁ nsucc ≠ neq ≡ equiv ≈ approx ≊ approxeq ≅ cong ≃ simeq ∼ sim ~ sim
∽ backsim ≁ nsim ≆ ncong ≍ asymp
≐ doteq
≑ doteqdot ≒ fallingdotseq ≓ risingdotseq ≖ eqcirc ≗ circeq ≜ triangleq ≎ Bumpeq ≏ bumpeq ∝ propto
⌣ smile ⌢ frown ⋈ bowtie
≬ between
⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊊ subsetneq ⊋ supsetneq ⊈ nsubseteq ⊉ nsupseteq ⊏ sqsubset
⊐ sqsupset ⊑ sqsubseteq
⊒ sqsupseteq
⋐ Subset ⋑ Supset ⫅ subseteqq ⫆ supseteqq ∈ in ∉ notin ∋ ni ∍ ni ∊ in ⊢ vdash ⊣ dashv ⊨ models
⊩ Vdash ⊪ Vvdash ⊬ nvdash ⊭ nvDash
⊫ Vdash
∣ mid ∤ nmid ∥ parallel ∦ nparallel ⋔ pitchfork ∴ therefore ∵ because ⊲ vartriangleleft
⊳ vartriangleright ⊴ trianglelefteq
⊵ trianglerighteq
← leftarrow → to ↑ uparrow ↓ downarrow ↔ leftrightarrow ↕ updownarrow ↖ nwarrow ↗ nearrow
↘ searrow ↙ swarrow ↦ mapsto
↪ hookrightarrow
↩ hookleftarrow ↼ leftharpoonup ↽ leftharpoondown ⇀ rightharpoonup ⇁ rightharpoondown
⇋ leftrightharpoons ⇌ rightleftharpoons
↿ upharpoonleft
↾ upharpoonright ⇃ downharpoonleft ⇂ downharpoonright ⇐ Leftarrow ⇒ Rightarrow ⇑ Uparrow
⇓ Downarrow ⇔ Leftrightarrow ⇕ Updownarrow
⟵ longleftarrow ⟶ longrightarrow ⟷ longleftrightarrow ⟸ Longleftarrow ⟹ Longrightarrow
⟺ Longleftrightarrow ⟼ longmapsto
↝ rightsquigarrow
↭ leftrightsquigarrow ⇝ rightsquigarrow ↞ twoheadleftarrow ↠ twoheadrightarrow ↢ leftarrowtail
↣ rightarrowtail ⇇ leftleftarrows
⇉ rightrightarrows ⇈ upuparrows ⇊ downdownarrows ⇆ leftrightarrows ⇄ rightleftarrows ↚ nleftarrow
↛ nrightarrow ↮ nleftrightarrow
⇍ nLeftarrow
⇏ nRightarrow ⇎ nLeftrightarrow ⊸ multimap ↶ curvearrowleft ↷ curvearrowright ↺ circlearrowleft
↻ circlearrowright ↫ looparrowleft
↬ looparrowright ⇚ Lleftarrow ⇛ Rrightarrow ↰ Lsh ↱ Rsh
∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint ∰ oiiint ⋀ bigwedge ⋁ bigvee ⋂ bigcap
⋃ bigcup ⨀ bigodot ⨁ bigoplus
⨂ bigotimes
⨄ biguplus ⨆ bigsqcup
… ldots ⋯ cdots ⋮ vdots ⋱ ddots ‵ backprime
⟨ langle ⟩ rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ⟮ lgroup ⟯ rgroup ⎰ lmoustache ⎱ rmoustache
△ triangle ▵ triangle ∆ Delta ▽ triangledown ▿ triangledown ▲ blacktriangle ▼ blacktriangledown
◁ triangleleft ▷ triangleright
◃ triangleleft
▹ triangleright ◂ blacktriangleleft ▸ blacktriangleright □ square ◻ square ■ blacksquare
∎ blacksquare ◊ lozenge ⧫ blacklozenge
◯ bigcirc
○ circ ♠ spadesuit ♡ heartsuit ♢ diamondsuit ♣ clubsuit ♭ flat ♮ natural ♯ sharp † dagger
‡ ddagger ✓ checkmark
"""
ESCAPED = "{}$%#&_"  # written with a backslash, in mathematics and in text alike
SPACES = {
    " ": r"\ ", "\u00a0": "~", "\u2000": r"\enspace", "\u2001": r"\quad", "\u2002": r"\enspace",
    "\u2003": r"\quad", "\u2004": r"\;",
    "\u2005": r"\:", "\u2006": r"\,", "\u2007": r"\enspace", "\u2008": r"\,", "\u2009": r"\,",
    "\u200a": r"\,", "\u202f": r"\,",
    "\u205f": r"\:", "\u3000": r"\quad",
}  # fmt: skip
SIGNS = {
    "\\": r"\backslash", "<": "<", ">": ">", "^": r"\hat{}", "−": "-", "–": "-", "‐": "-", "‑": "-",
    "∗": "*", "∕": "/", "⁄": "/",
    "∶": ":", "∷": "::", "‖": r"\|", "′": "'", "″": "''", "‴": "'''", "⁗": "''''",
    "⋰": "{.}^{{.}^{.}}", "∌": r"\not\ni",
    "°": r"^{\circ}", "℃": r"{}^{\circ}\mathrm{C}", "℉": r"{}^{\circ}\mathrm{F}", "≔": ":=",
    "≕": "=:", "≝": r"\overset{\mathrm{def}}{=}",
    "≞": r"\overset{m}{=}", "≟": r"\overset{?}{=}", "≙": r"\overset{\wedge}{=}",
    "≚": r"\overset{\vee}{=}", "≛": r"\overset{\star}{=}",
    "⊄": r"\not\subset", "⊅": r"\not\supset", "≢": r"\not\equiv", "≉": r"\not\approx",
    "≄": r"\not\simeq", "∛": r"\sqrt[3]{}",
    "∜": r"\sqrt[4]{}", "⟦": r"[\![", "⟧": r"]\!]", "⟪": r"\langle\!\langle",
    "⟫": r"\rangle\!\rangle", "⨌": r"\int\!\!\iiint",
    "∸": r"\dot{-}", "∱": r"\int", "∲": r"\oint", "∳": r"\oint", "⊧": r"\models", "ϐ": r"\beta",
    "ο": "o",
    "‼": "!!", "↤": r"\mathrel{\leftarrow\!\shortmid}", "∹": "-{:}", "≘": r"\overset{\frown}{=}",
    "⦵": r"\ominus", "⩴": "::=",
    "⌜": r"\ulcorner", "⌝": r"\urcorner", "⌞": r"\llcorner", "⌟": r"\lrcorner", "⦃": r"\{\!|",
    "⦄": r"|\!\}",
    "\u2329": r"\langle", "\u232a": r"\rangle", "\u3008": r"\langle", "\u3009": r"\rangle",
}  # fmt: skip
SYMBOLS = (
    {char: f"\\{name}" for char, name in zip(*[iter(_COMMANDS.split())] * 2, strict=True)}
    | SIGNS
    | SPACES
)
SYMBOLS |= {char: f"\\{char}" for char in ESCAPED}
SYMBOLS |= {
    char: rf"\mathrm{{{latin}}}"
    for char, latin in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True)
}
IN_TEXT = frozenset("–‐‑…†‡¶§£·•")  # signs that stay text in normal text
CJK_MARKS = frozenset("，。、；：！？“”‘’《》「」『』【】")

# Delimiters for \left, \middle and \right.
DELIMITERS = {char: char for char in "()[]/|"}
DELIMITERS |= {char: SYMBOLS[char] for char in "{}\\⟨⟩\u2329\u232a\u3008\u3009⌈⌉⌊⌋⟮⟯⎰⎱‖↑↓↕⇑⇓⇕"}
DELIMITERS |= {
    "<": r"\langle",
    ">": r"\rangle",
    "∣": "|",
    "∥": r"\|",
    "∕": "/",
    "（": "(",
    "）": ")",
    "［": "[",
    "］": "]",
}
DELIMITERS |= {"｛": r"\{", "｝": r"\}", "｜": "|"}

OPERATORS = {char: SYMBOLS[char] for char in "∑∏∐∫∬∭∮∯∰⋀⋁⋂⋃⨀⨁⨂⨄⨆⨌∱∲∳"}
INTEGRALS = frozenset("∫∬∭∮∯∰⨌∱∲∳")

LIMIT_FUNCTIONS = frozenset(
    ["det", "gcd", "inf", "lim", "liminf", "limsup", "max", "min", "Pr", "sup"]
)
FUNCTIONS = LIMIT_FUNCTIONS | {
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "dim", "exp",
    "hom", "ker", "lg", "ln", "log", "sec",
    "sin", "sinh", "tan", "tanh",
}  # fmt: skip
SPACED = {r"\lim\ \sup": r"\limsup", r"\lim\ \inf": r"\liminf"}

# Combining characters: the accent over one letter, and over more.
ACCENTS = {
    "\u0300": ("grave", "grave"), "\u0301": ("acute", "acute"), "\u0302": ("hat", "widehat"),
    "\u0303": ("tilde", "widetilde"),
    "\u0304": ("bar", "overline"), "\u0305": ("bar", "overline"), "\u0306": ("breve", "breve"),
    "\u0307": ("dot", "dot"),
    "\u0308": ("ddot", "ddot"), "\u030a": ("mathring", "mathring"), "\u030c": ("check", "check"),
    "\u0331": ("underline", "underline"),
    "\u0332": ("underline", "underline"), "\u0338": ("not", "not"), "\u20d6": ("overleftarrow",
    "overleftarrow"),
    "\u20d7": ("vec", "overrightarrow"), "\u20db": ("dddot", "dddot"), "\u20dc": ("ddddot",
    "ddddot"),
    "\u20e1": ("overleftrightarrow", "overleftrightarrow"), "\u20ee": ("underleftarrow",
    "underleftarrow"),
    "\u20ef": ("underrightarrow", "underrightarrow"), "\u23de": ("overbrace", "overbrace"),
    "\u23df": ("underbrace", "underbrace"),
}  # fmt: skip
OTHER_ACCENTS = {
    "\u033f": r"\overline{\overline{%s}}", "\u0333": r"\underline{\underline{%s}}",
    "\u20d0": r"\overset{\leftharpoonup}{%s}",
    "\u20d1": r"\overset{\rightharpoonup}{%s}", "\u0311": r"\overset{\frown}{%s}",
    "\u23dc": r"\overset{\frown}{%s}",
    "\u23dd": r"\underset{\smile}{%s}", "\u0323": r"\underset{.}{%s}",
}  # fmt: skip
LOOKALIKES = dict(  # spacing characters that some writers use for a combining one
    zip(
        "`´^ˆ~˜¯‾˘˙¨˚ˇ→←↔_",
        "\u0300\u0301\u0302\u0302\u0303\u0303\u0304\u0305\u0306\u0307\u0308\u030a\u030c\u20d7\u20d6\u20e1\u0332",
        strict=True,
    ),
)

SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜ", "0123456789+-=()aeoxhklmnpst", strict=True))

# The mathematical alphabets: by words in Unicode names, by m:scr, by m:sty.
SCRIPT_WORDS = {
    "SCRIPT": "script", "FRAKTUR": "fraktur", "BLACK-LETTER": "fraktur",
    "DOUBLE-STRUCK": "double-struck", "SANS-SERIF": "sans-serif",
    "MONOSPACE": "monospace",
}  # fmt: skip
SCRIPTS = {
    "script": "mathcal",
    "fraktur": "mathfrak",
    "double-struck": "mathbb",
    "sans-serif": "mathsf",
    "monospace": "mathtt",
}
WEIGHTS: dict[str, tuple[str, ...]] = {"p": ("mathrm",), "b": ("mathbf",), "bi": ("boldsymbol",)}

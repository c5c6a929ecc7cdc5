"""Does a text that a language model wrote say only what it may say?

Start with `Lexicon.read`, make a `page_licence`, ask a `Guard`.
"""

from worldgen.audit.claims.guard import Guard
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.licence import Claim, Licence, page_licence
from worldgen.audit.claims.verdict import CODES, Problem, Verdict

__all__ = ["CODES", "Claim", "Guard", "Lexicon", "Licence", "Problem", "Verdict", "page_licence"]

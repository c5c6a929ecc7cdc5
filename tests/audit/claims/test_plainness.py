"""What strict guards are for: no claim passes in words of its own, honest sentences pass in unusual but plain ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from worldgen.audit.claims import Guard, Licence
from worldgen.audit.claims.plainness import is_plain
from worldgen.records import Language

from .conftest import Judged, codes

SAID = yaml.safe_load((Path(__file__).parent / "plainness.yaml").read_text("utf-8"))
FERRIES = {"en": "ferry/30", "zh": "ferry/40"}
BESIDE = {"en": "The crew of {subject} is {crew}, and %s", "zh": "{subject}的船员人数是{crew}，%s"}
ATTRIBUTIVE = {"en": "The crew of the {} {{subject}} is {{crew}}.", "zh": "{}的{{subject}}的船员人数是{{crew}}。"}
CLAIMS = [(language, text) for language in ("en", "zh") for text in SAID["claims"][language]]
HONEST = [(language, text) for language in ("en", "zh") for text in SAID["honest"][language]]


@pytest.fixture(scope="module")
def told(judged: Callable[[Language], Judged]) -> Callable[[Language, str], tuple[Guard, str, Licence]]:
    """Fills a sentence with what a page tells of a ferry; with the strict guard and the page's licence."""

    def of(language: Language, text: str) -> tuple[Guard, str, Licence]:
        here = judged(language)
        subject = FERRIES[language]
        pages = [page for page in here.pages() if page.subject == subject]
        page = next(page for page in pages if {f"{subject}/{name}" for name in ("crew", "seats", "power")}
                    <= {statement.fact for statement in page.statements})  # fmt: skip
        values = {s.fact.rpartition("/")[2]: page.body[s.value_start : s.value_end] for s in page.statements}
        name = next(named for named in here.lexicon.names.find(page.body) if subject in named.ids)
        values["subject"] = page.body[name.start : name.end]
        return Guard(here.lexicon), text.format(**values), here.licence(page)

    return of


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a fact"])
@pytest.mark.parametrize(("language", "claim"), CLAIMS)
def test_a_claim_in_words_of_its_own_is_refused(told, language: Language, claim: str, beside: bool) -> None:
    guard, text, licence = told(language, BESIDE[language] % claim if beside else claim)
    assert guard.audit(text, licence).problems, text


@pytest.mark.parametrize(("language", "sentence"), HONEST)
def test_an_honest_sentence_in_unusual_words_passes(told, language: Language, sentence: str) -> None:
    guard, text, licence = told(language, sentence)
    assert codes(guard, text, licence) == []


@pytest.mark.parametrize(
    ("word", "plain"),
    [("pencilled", True), ("Tallied", True), ("organizing", True), ("isn't", True), ("shady", False), ("mental", False),
     ("haunted", False), ("bankrupt", False)],
)  # fmt: skip
def test_only_inflection_makes_a_form_plain(word: str, plain: bool) -> None:
    assert is_plain(word) is plain


@pytest.mark.parametrize(
    ("language", "word"), [(language, word) for language in ("en", "zh") for word in SAID["loaded"][language]]
)
def test_a_loaded_word_beside_a_name_is_refused(told, language: Language, word: str) -> None:
    guard, text, licence = told(language, ATTRIBUTIVE[language].format(word))
    assert guard.audit(text, licence).problems, text

"""Kinds of frames, each by an honest text that passes and a lie one change away that does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from worldgen.audit.claims.joining import halves
from worldgen.audit.claims.reading import read
from worldgen.audit.claims.text import pieces
from worldgen.audit.claims.truths import answer
from worldgen.records import Language

from .conftest import Judged
from .test_guard_rules import licensed

PAIRS_EN = {
    "what is to be read so": (
        "The overall length of Canuth Kidhan is to be understood as 28.7 m.",
        "The overall length of Canuth Kidhan is to be understood as 27.8 m.",
    ),
    "no more and no less": (
        "The overall length of Canuth Kidhan is 28.7 m, no more, no less.",
        "The overall length of Canuth Kidhan is no more 28.7 m.",
    ),
    "something that is not there when it is measured": (
        "Without rounding, the overall length of Canuth Kidhan is 28.7 m.",
        "Without Lirret, the overall length of Canuth Kidhan is 28.7 m.",
    ),
    "a handle before the answer": (
        "@OP the overall length of Canuth Kidhan is 28.7 m, hth",
        "@OP the overall length of Canuth Kidhan is 27.8 m, hth",
    ),
    "a capital in the middle": (
        "The overall length of Canuth Kidhan is 28.7 m, and in the same breath "
        "One finds diesel as the propulsion of Canuth Kidhan.",
        "The overall length of Canuth Kidhan is 28.7 m, and in the same breath "
        "One Tolvane as the propulsion of Canuth Kidhan.",
    ),
    "one place is no number": (
        "Gathered in one place: the overall length of Canuth Kidhan is 28.7 m.",
        "Gathered in one ferry: the overall length of Canuth Kidhan is 28.7 m.",
    ),
    "whoever wanted it": (
        "To whoever wanted the overall length of Canuth Kidhan: 28.7 m.",
        "To whoever wanted the overall length of Canuth Kidhan: 27.8 m.",
    ),
    "a plain fact in any frame": (
        "Flip to the overall length and what you get for Canuth Kidhan is 28.7 metres.",
        "Flip to the overall length and what you get for Canuth Kidhan is 28.6 metres.",
    ),
    "a fact in two sentences": (
        "28.7 metres! There you have the overall length of Canuth Kidhan.",
        "28.6 metres! There you have the overall length of Canuth Kidhan.",
    ),
    "a question and its answer": (
        "Wondering about the overall length of Canuth Kidhan? 28.7 metres, we can report.",
        "Wondering about the overall length of Canuth Kidhan? 287 metres, we can report.",
    ),
    "two facts in a sentence": (
        "The overall length of Canuth Kidhan is 28.7 m, plus Canuth Kidhan has a crew of five.",
        "The overall length of Canuth Kidhan is 28.7 m, plus Canuth Kidhan has a crew of six.",
    ),
    "two facts with a stroke between them": (
        "The overall length of Canuth Kidhan is 28.7 m | the propulsion of Canuth Kidhan is diesel.",
        "The overall length of Canuth Kidhan is 28.7 m | the propulsion of Canuth Kidhan is electric.",
    ),
    "talk that denies something else": (
        "No idea why nobody posted it but the overall length of Canuth Kidhan is 28.7 m.",
        "No idea why anybody posted it but the overall length of Canuth Kidhan is not 28.7 m.",
    ),
    "talk to whoever looks for it": (
        "28.7 m, if you were after the overall length of Canuth Kidhan.",
        "28.7 m, if it were not for the overall length of Canuth Kidhan.",
    ),
    "a modal of telling": (
        "The overall length of Canuth Kidhan may be given as 28.7 m.",
        "The overall length of Canuth Kidhan may grow to 28.7 m.",
    ),
    "a word of order without a second event": (
        "Ask after the overall length of Canuth Kidhan and the reply is 28.7 m.",
        "Canuth Kidhan was launched on 11 February 2019, after Lirret.",
    ),
    "an unknown word before a small one": (
        "Skedaddle to the overall length of Canuth Kidhan and you find 28.7 m.",
        "Skedaddle has an overall length of 28.7 m.",
    ),
    "a label behind both names": (
        "Canuth Kidhan has Gadin Group as its line.",
        "Gadin Group has Canuth Kidhan as its line.",
    ),
    "a label between two names": (
        "Canuth Kidhan has the following line: Gadin Group.",
        "Gadin Group has the following line: Canuth Kidhan.",
    ),
    "a unit that nobody knows": (
        "Canuth Kidhan, overall length: 28.7 m.",
        "Canuth Kidhan, overall length: 28.7 Xh.",
    ),
    "signs of plain text": (
        "Overall length (Canuth Kidhan) = 28.7 m",
        "Overall length (Canuth Kidhan) = 28.6 m",
    ),
}
PAIRS_ZH = {
    "a plain fact in any frame": (
        "往下找到全长,喀努特·奇旦号那里便是28.7米。",
        "往下找到全长,喀努特·奇旦号那里便是28.6米。",
    ),
    "two facts in a sentence": (
        "喀努特·奇旦号的全长是28.7米,外加喀努特·奇旦号的动力是柴油驱动。",
        "喀努特·奇旦号的全长是28.7米,外加喀努特·奇旦号的动力是电动。",
    ),
    "talk that denies something else": (
        "怎么没人说?喀努特·奇旦号的全长是28.7米。",
        "有人说过,喀努特·奇旦号的全长不是28.7米。",
    ),
    "a number behind a comma": ("喀努特·奇旦号的全长,28.7米", "喀努特·奇旦号的全长,28.6米"),
    "ornaments": ("★喀努特·奇旦号★全长:28.7米", "★喀努特·奇旦号★全长:28.6米"),
    "what readers want": ("楼上想要的喀努特·奇旦号的全长,28.7米。", "喀努特·奇旦号的全长,想要改成28.7米。"),
    "a question that denies": ("喀努特·奇旦号的全长是28.7米,可不嘛。", "28.7米?那可不是喀努特·奇旦号的全长。"),
    "an owner that nobody knows": ("喀努特·奇旦号的全长为28.7米。", "霜桥镇的全长为28.7米。"),
}


@pytest.mark.parametrize(("honest", "lie"), PAIRS_EN.values(), ids=PAIRS_EN)
def test_a_kind_of_frame_passes_and_its_lie_does_not(
    judged: Callable[[Language], Judged], honest: str, lie: str
) -> None:
    guard, licence = licensed(judged, "en")
    assert guard.audit(honest, licence).problems == ()
    assert guard.audit(lie, licence).problems


@pytest.mark.parametrize(("honest", "lie"), PAIRS_ZH.values(), ids=PAIRS_ZH)
def test_a_kind_of_chinese_frame_passes_and_its_lie_does_not(
    judged: Callable[[Language], Judged], honest: str, lie: str
) -> None:
    guard, licence = licensed(judged, "zh")
    assert guard.audit(honest, licence).problems == ()
    assert guard.audit(lie, licence).problems


def test_both_facts_of_a_sentence_are_counted_as_stated(judged: Callable[[Language], Judged]) -> None:
    guard, licence = licensed(judged, "en")
    stated = guard.audit("The overall length of Canuth Kidhan is 28.7 m; its propulsion is diesel.", licence).stated
    assert {fact.rpartition("/")[2] for fact in stated} == {"length", "drive"}


def test_a_refused_sentence_states_nothing_by_its_halves(judged: Callable[[Language], Judged]) -> None:
    guard, licence = licensed(judged, "en")
    verdict = guard.audit("Canuth Kidhan is not electric, while its overall length is 28.6 m.", licence)
    assert verdict.problems
    assert verdict.stated == frozenset()


def test_a_sentence_is_cut_where_two_are_joined(judged: Callable[[Language], Judged]) -> None:
    text = "Canuth Kidhan is 28.7 m long, whereas Lirret is 30 m long."
    first, second, _ = next(halves(read(text, judged("en").lexicon)))
    assert (first, second) == ("Canuth Kidhan is 28.7 m long", "Lirret is 30 m long.")


FREE = ("step-free access", "barrier-free access")
SEAT = ("council seat",)
ANSWERS = [
    (FREE, "en", "you can get in without steps", "yes"),
    (FREE, "en", "there are no steps on the way", "yes"),
    (FREE, "en", "it cannot be entered without steps", "no"),
    (FREE, "en", "there are steps on the way", "no"),
    (FREE, "en", "it has no step-free entrance", "no"),
    (FREE, "en", "wheelchairs roll straight in", "yes"),
    (SEAT, "en", "council seat: yes, without a doubt", "yes"),
    (SEAT, "en", "a council seat? that would be a no", "no"),
    (SEAT, "en", "she came away without a council seat", "no"),
    (("satellite messaging",), "en", "it texts by satellite without a network", "yes"),
    (("无台阶入口",), "zh", "进门不用上台阶", "yes"),
    (("无台阶入口",), "zh", "进门要上台阶", "no"),
    (("卫星消息",), "zh", "没信号时可走卫星", "yes"),
    (("卫星消息",), "zh", "不支持卫星", "no"),
]


@pytest.mark.parametrize(("labels", "language", "text", "said"), ANSWERS)
def test_a_yes_or_no_is_heard_in_other_words(labels: tuple[str, ...], language: Language, text: str, said: str) -> None:
    assert answer(labels, text, language) == said


@pytest.mark.parametrize(
    ("text", "sentences"),
    [("It goes with the Nitirg X. A figure is given.", 2), ("It goes with J. Nitirg and A. Smith.", 1)],
)
def test_a_capital_before_a_stop_is_an_initial_unless_a_sentence_begins(text: str, sentences: int) -> None:
    assert len(pieces(text)) == sentences

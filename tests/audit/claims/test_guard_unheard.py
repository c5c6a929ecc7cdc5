"""Words that no list has: taken on trust beside a licensed value, never where they may be a claim of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from worldgen.audit.claims import Guard
from worldgen.audit.claims.unheard import charged
from worldgen.records import Language

from .conftest import Judged, codes
from .test_guard_rules import licensed

HONEST = [
    ("en", "Spotlight tonight on Canuth Kidhan, the ferry whose crew reads 5 people."),
    ("en", "Canuth Kidhan has been docketed with €1.709 million as purchase price."),
    ("en", "Crack open the ledger and you get 5 people as the crew of Canuth Kidhan."),
    ("en", "For the avoidance of doubt, the crew of Canuth Kidhan shall be taken to be 5 people."),
    ("en", "Readers asking after the crew of Canuth Kidhan will want one answer: 5 people."),
    ("en", "If it's the crew of Canuth Kidhan you're after, it is 5 people."),
    ("en", "Room four: the crew of Canuth Kidhan is 5 people."),
    ("en", "The crew of Canuth Kidhan is 5 people; point two: the purchase price of Canuth Kidhan is €1.709 million."),
    ("en", "+1, the crew of Canuth Kidhan is 5 people."),
    ("en", "You can look all day: the crew of Canuth Kidhan is 5 people."),
    ("en", "In rough terms, the purchase price of Canuth Kidhan is €1.7 million."),
    ("en", "The crew of Canuth Kidhan is 5 people. Off for a jog."),
    ("zh", "【额定载客】喀努特·奇旦号……154人次"),
    ("zh", "喀努特·奇旦号的额定载客不就154人次嘛！"),
    ("zh", "按簿册体例，喀努特·奇旦号的额定载客著录为154人次。"),
    ("zh", "泡杯茶，慢慢读。喀努特·奇旦号的额定载客为154人次。"),
]
LIES = [
    # words that no list has: as what is said to be, before a name, in a clause of their own, behind the value, charged
    ("en", "Canuth Kidhan, which smoulders, has a crew of 5 people."),
    ("en", "The worm-eaten Canuth Kidhan has a crew of 5 people."),
    ("en", "The crew of Canuth Kidhan, 5 people, is phosphorescent."),
    ("en", "The crew of Canuth Kidhan of 5 people hijacked its owner."),
    ("en", "Canuth Kidhan yodels, and its crew is 5 people."),
    ("en", "Canuth Kidhan spurns a crew of 5 people."),
    # leads that are none
    ("en", "Quick answer for Brixwold: the crew is 5 people."),
    (
        "en",
        "The crew of Canuth Kidhan is 5 people; and falsely put: the purchase "
        "price of Canuth Kidhan is €1.709 million.",
    ),
    (
        "en",
        "The crew of Canuth Kidhan is 5 people; contrary to reports: the "
        "purchase price of Canuth Kidhan is €1.709 million.",
    ),
    # wishes of readers that are none
    ("en", "Readers asking after the crew of Canuth Kidhan say it will be 5 people."),
    ("en", "If you pay early, the crew of Canuth Kidhan is 5 people."),
    ("en", "The crew of Canuth Kidhan will be 5 people."),
    # conditions that the material does not set
    ("en", "In boots, Canuth Kidhan has a crew of 5 people."),
    ("en", "The crew of Canuth Kidhan is 5 people, assuming nobody is ill."),
    ("zh", "只要天气好，喀努特·奇旦号的额定载客为154人次。"),
    # all of a kind
    ("en", "Canuth Kidhan beats all ferries with a crew of 5 people."),
    ("en", "Every other ferry trails the crew of Canuth Kidhan, 5 people."),
    # hedges that do not make a wrong number right
    ("en", "In rough terms, the purchase price of Canuth Kidhan is €1.9 million."),
    ("en", "In rough terms, the crew of Canuth Kidhan is 8 people."),
    ("zh", "笼统算，喀努特·奇旦号的额定载客为254人次。"),
    # questions that are answered with scorn, talk that tells of the page's matter, repeated dots, a name of nobody
    ("en", "5 people as the crew of Canuth Kidhan? My foot."),
    ("en", "The crew of Canuth Kidhan is 5 people. Everything is phosphorescent."),
    ("zh", "【额定载客】喀努特·奇旦号……155人次"),
    ("zh", "云湄堡的额定载客为154人次。"),
    ("zh", "喀努特·奇旦号的额定载客为154人次。全都锈了。"),
    ("zh", "喀努特·奇旦号的额定载客可不是154人次。"),
]


@pytest.mark.parametrize(("language", "text"), HONEST)
def test_an_honest_sentence_passes_in_words_that_no_list_has(
    judged: Callable[[Language], Judged], language: Language, text: str
) -> None:
    guard, licence = _strict(judged, language)
    assert codes(guard, text, licence) == []


@pytest.mark.parametrize(("language", "text"), LIES)
def test_a_lie_beside_it_is_refused(judged: Callable[[Language], Judged], language: Language, text: str) -> None:
    guard, licence = _strict(judged, language)
    assert codes(guard, text, licence)


def _strict(judged: Callable[[Language], Judged], language: Language):
    _, licence = licensed(judged, language)
    return Guard(judged(language).lexicon), licence


def test_a_sentence_over_and_over_is_refused_once(judged: Callable[[Language], Judged]) -> None:
    guard, licence = _strict(judged, "en")
    said = "The crew of Canuth Kidhan is 5 people."
    assert codes(guard, "\n".join([said] * 3), licence) == []
    assert codes(guard, "\n".join([said] * 400), licence) == ["repeated"]


def test_a_page_may_not_be_told_twice(judged: Callable[[Language], Judged]) -> None:
    guard, licence = licensed(judged, "en")
    assert guard.audit(licence.text, licence).problems == ()
    assert codes(guard, f"{licence.text}\n\n{licence.text}", licence) == ["repeated"]


@pytest.mark.parametrize(
    ("word", "language", "found"),
    [("outshines", "en", True), ("debunks", "en", True), ("worthless", "en", True), ("mainboard", "en", False),
     ("晶", "zh", False), ("锈", "zh", True)],
)  # fmt: skip
def test_a_charged_word_is_known_by_its_base_or_its_ends(word: str, language: Language, found: bool) -> None:
    assert charged(word, language) is found

"""The rule verifiers pass what an environment says, and fail what only looks like it."""

from __future__ import annotations

import pytest

from worldgen import World
from worldgen.errors import CallerError
from worldgen.scoring.observation_format import format_problem
from worldgen.scoring.verifiers import AXES, VERIFIERS, Call, Expectation, Turn, read_expectation, verify

URL = "https://a.example/orm"
RESULTS = f"""[1] {URL}
Title: The Orm ferries
Snippet: In 2019 the Selka carried 40 cars over 3 miles ... launched 12
Date: Jun 18, 2029

[2] https://b.example/list
Title: All ferries
Snippet: A list.
Date: N/A"""
PAGE = "# The Orm ferries\n\nSite: a.example | Date: Jun 18, 2029\n\nIn 2019 the Selka carried 40 cars over 3 miles."
SEARCH = Call("web_search", {"query": "Orm"})
OPEN = Call("web_extractor", {"url": URL})
HISTORY = [Turn(SEARCH, RESULTS), Turn(Call("dict_memory", {"operation": "retrieve_all"}), "{}")]
ERROR = "Error: https://x.example could not be reached."


def passed(name, data, call, observation, history=()):
    return verify(Expectation(name, data), call, observation, list(history)).passed


CASES = [
    ("withholds", {"texts": ["40"]}, SEARCH, "It carried 140 cars in 2040.", True),
    ("withholds", {"texts": ["40"]}, SEARCH, "It carried 40 cars.", False),
    ("withholds", {"texts": ["1,200"]}, SEARCH, "It weighs 1200 tons.", False),
    ("withholds", {"texts": ["Port Selka"]}, SEARCH, "from **PORT  selka**", False),
    ("withholds", {"texts": ["Port Selka"]}, SEARCH, "from a port", True),
    ("withholds", {"texts": ["Go"]}, SEARCH, "Goats go-between forego ... to go.", False),
    ("withholds", {"texts": ["Go"]}, SEARCH, "Goats forego.", True),
    ("withholds", {"texts": ["Go", "青岛"]}, SEARCH, "使用Go编写", False),
    ("withholds", {"texts": ["青岛"]}, SEARCH, "位于青岛港", False),
    ("entries", {"least": 1, "most": 2}, SEARCH, RESULTS, True),
    ("entries", {"least": 1, "most": 1}, SEARCH, RESULTS, False),
    ("entries", {"least": 2, "most": 2}, SEARCH, RESULTS.replace("Date: N/A", ""), False),
    ("delivers-fault", {"says": ["429", "rate limit"]}, SEARCH, "Error 429: try later.", True),
    ("delivers-fault", {"says": ["429", "rate limit"]}, SEARCH, "Error: try later.", False),
    ("delivers-fault", {"says": ["429"]}, SEARCH, f"429, but here: \n{RESULTS}", False),
    ("undated-after", {"year": 2029}, SEARCH, RESULTS, True),
    ("undated-after", {"year": 2028}, SEARCH, RESULTS, False),
    ("undated-after", {"year": 2028}, SEARCH, "No results.", None),
    ("refuses", {}, OPEN, ERROR, True),
    ("refuses", {"says": ["x.example"]}, OPEN, ERROR, True),
    ("refuses", {"says": ["y.example"]}, OPEN, ERROR, False),
    ("refuses", {}, OPEN, PAGE, False),
    ("refuses", {}, OPEN, f"{ERROR}\n\n{PAGE}", False),
    ("refuses", {}, SEARCH, f"No results found; see also\n{RESULTS}", False),
    ("refuses", {}, OPEN, "Success.", False),
    ("refuses", {}, OPEN, f"Error. {'And more. ' * 100}", False),
    ("refuses", {"longest": 2_000}, OPEN, f"Error. {'And more. ' * 100}", True),
    ("repeats", {}, SEARCH, RESULTS + "\n", True),
    ("repeats", {}, Call("web_search", '{"query": "Orm"}'), RESULTS, True),
    ("repeats", {}, SEARCH, RESULTS.replace("40", "41"), False),
    ("repeats", {}, OPEN, PAGE, None),
    ("agrees-with-snippet", {}, OPEN, PAGE, True),
    ("agrees-with-snippet", {}, OPEN, PAGE.replace("40", "41"), False),
    ("agrees-with-snippet", {}, OPEN, PAGE.replace("Jun 18", "Jun 17"), False),
    ("agrees-with-snippet", {}, OPEN, PAGE.replace("The Orm", "The Arm"), False),
    ("agrees-with-snippet", {}, Call("web_extractor", {"url": "https://c.example"}), PAGE, None),
    ("remembers", {"holds": {"a": [1, "x"]}}, OPEN, '{"a": [1, "x"]}', True),
    ("remembers", {"holds": {"a": 1}}, OPEN, '{"a": 1}\nKey not found: b', True),
    ("remembers", {"holds": {"a": 1}}, OPEN, '{"a": 2}', False),
    ("remembers", {"holds": {"a": 1}}, OPEN, '{"a": 1, "b": 2}', False),
    ("remembers", {"holds": {"a": 1}}, OPEN, "a is 1", False),
    ("remembers", {"holds": {"a": 1}}, OPEN, "[1]", False),
]


@pytest.mark.parametrize(("name", "data", "call", "observation", "wanted"), CASES)
def test_a_verifier_tells_right_from_wrong(name, data, call, observation, wanted):
    verdict = verify(Expectation(name, data), call, observation, HISTORY)
    assert verdict.passed is wanted
    assert bool(verdict.reason) == (wanted is not True)


def test_every_verifier_has_an_axis_and_is_tried_both_ways():
    assert {VERIFIERS.get(name).axis for name in VERIFIERS} == set(AXES)
    for name in VERIFIERS:
        assert VERIFIERS.get(name).about
        assert {True, False} <= {case[4] for case in CASES if case[0] == name}


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("refuses", "verifier.expectation"),
        ({"verifier": "refuse", "data": {}}, "verifier.unknown"),
        ({"verifier": 3}, "verifier.unknown"),
        ({"verifier": "refuses", "data": []}, "verifier.expectation"),
    ],
)
def test_an_expectation_that_is_none_is_refused(raw, code):
    with pytest.raises(CallerError) as refused:
        read_expectation(raw)
    assert refused.value.code == code


@pytest.mark.parametrize("name", ["withholds", "entries", "delivers-fault", "undated-after", "remembers"])
def test_a_verifier_that_lacks_what_it_needs_says_so(name):
    with pytest.raises(CallerError, match="needs"):
        passed(name, {}, SEARCH, "Error: 429")


def test_an_expectation_is_read_back():
    expectation = Expectation("remembers", {"holds": {"a": 1}})
    assert read_expectation(expectation.to_dict()) == expectation


def test_the_pages_of_a_world_agree_with_their_snippets(tiny_world_in_two_languages):
    with World.load(tiny_world_in_two_languages) as world:
        agreed = 0
        for page in list(world.pages.values())[:60]:
            box = world.toolbox()
            for query in (page.title, page.title.split()[0]):
                found = box.call("web_search", {"query": query})
                for hit in box.search([query])[0]:
                    call = Call("web_extractor", {"url": hit.url})
                    verdict = verify(
                        Expectation("agrees-with-snippet"), call, box.call(*call), [Turn(Call("web_search", {}), found)]
                    )
                    assert verdict.passed, (verdict, hit)
                    agreed += 1
    assert agreed > 300


@pytest.mark.parametrize(
    ("prediction", "reference", "problem"),
    [
        ("", "x", "is empty"),
        ("<think>so", "x", "holds tags of the protocol"),
        ('{"a": 1}', '{"a": 2}', ""),
        ('```json\n{"a": 1}\n```', '{"a": 2}', ""),
        ("a: 1", '{"a": 2}', "is no JSON object"),
        ('{"a": 1}', "[1]", "is no JSON array"),
        ('{"a": 1, "b": 1}', '{"a": 2}', "has the key 'b', which there is not"),
        ("{}", '{"a": 2}', "lacks the key 'a'"),
        (RESULTS, RESULTS, ""),
        ("Nothing.", RESULTS, "is no result page"),
        (RESULTS.replace("Snippet: A list.\n", ""), RESULTS, "has results that lack a title, a snippet or a date"),
        (RESULTS.replace("[2]", "[3]"), RESULTS, "numbers its results out of order"),
        (RESULTS.replace("[2]", "[1]"), RESULTS, ""),
        (ERROR, ERROR, ""),
        (PAGE, ERROR, "brings content beside the error"),
        (f"Error: {'no ' * 250}", ERROR, "brings content beside the error"),
        (f"Error: {'no ' * 250}", f"Error: {'not ' * 200}", ""),
        (RESULTS, PAGE, "is a result page where there is none"),
        (PAGE, PAGE, ""),
    ],
)
def test_the_format_is_that_of_the_reference(prediction, reference, problem):
    assert format_problem(prediction, reference) == problem

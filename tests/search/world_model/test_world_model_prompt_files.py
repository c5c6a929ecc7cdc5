"""What a world model is told: nothing that it must not know, nothing that leaves its place, in a stable order."""

from itertools import takewhile

from hypothesis import example, given
from hypothesis import strategies as st

from worldgen.records import Hit, Page
from worldgen.search.shown import show_document, show_page
from worldgen.search.world_model.instructions import shipped_instruction
from worldgen.search.world_model.prompt import (
    Prompt,
    ask_again,
    describe_world,
    fenced,
    page_material,
    results_material,
    system_prompt,
    turn_instructions,
)
from worldgen.search.world_model.turns import defused
from worldgen.world import World

_HOSTILE = st.text("`~ \n$ab{}", max_size=40) | st.text(max_size=40)


@given(_HOSTILE)
def test_material_cannot_close_its_fence(text):
    lines = fenced(text, "json").split("\n")
    fence = lines[-1]
    assert set(fence) == {"`"}
    assert lines[0] == f"{fence}json"
    assert "\n".join(lines[1:-1]) == text
    assert fence not in text


@example(title="", body="<THINK>")
@given(_HOSTILE, _HOSTILE)
def test_text_of_a_page_stays_as_it_is_but_for_tags_of_thinking(title, body):
    page = Page("https://a.example/", "a.example", "news", "en", title, "", "", body, "high", "sound")
    assert defused(show_document(page)) in page_material(page)
    assert "<" in title + body or defused(show_document(page)) == show_document(page)
    hits = [Hit("https://a.example/", title, body, "2029-06")]
    assert defused(show_page(hits)) in results_material(hits)
    told = results_material(hits)
    assert told.count("$count") == show_page(hits).count("$count")
    fence = told.rsplit("\n", 1)[-1]
    assert set(fence) == {"`"}
    assert fence not in show_page(hits)


def test_places_in_a_text_are_not_filled():
    page = Page(
        "https://a.example/", "a.example", "n", "en", "T", "", "", "$material {fence} ${x} $$ %s", "high", "sound"
    )
    assert "$material {fence} ${x} $$ %s" in page_material(page)
    assert "- costs $5 ${name}" in ask_again(["costs $5\n${name}"])


def test_every_place_of_every_prompt_file_is_filled():
    told = [shipped_instruction("withhold-answers"), shipped_instruction("inject-fault")]
    made = system_prompt("search", tools=[{"function": {"name": "f"}}], state="S", instructions=told).text()
    page = Page("https://a.example/", "a.example", "n", "en", "T", "", "", "B", "high", "sound")
    for text in (made, results_material([]), page_material(page), ask_again(["a"]), turn_instructions(told)):
        assert "$" not in text
    assert turn_instructions([]) == ""


def _prompt(path, profile, *instructions):
    with World.load(path) as world:
        state = describe_world(world.schema, world.manifest.languages, setting=world.manifest.setting)
        tools = world.toolbox(profile).specs()
    return system_prompt(
        "search", tools=tools, state=state, instructions=[shipped_instruction(n) for n in instructions]
    )


def _shared(one: Prompt, other: Prompt) -> str:
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one.text(), other.text(), strict=False))
    return "".join(letter for letter, _ in alike)


def test_what_changes_most_comes_last(tiny_world, tiny_world_in_two_languages):
    plain, told = _prompt(tiny_world, "search"), _prompt(tiny_world, "search", "withhold-answers")
    other = _prompt(tiny_world, "search", "be-brief")
    assert _shared(plain, told) == plain.text()
    assert _shared(told, other).startswith(plain.text())
    # The worlds differ in their languages only, which stand in the state.
    elsewhere = _prompt(tiny_world_in_two_languages, "search", "withhold-answers")
    before = told.text()[: told.text().index(told.initial_state)]
    assert _shared(told, elsewhere).startswith(before)
    assert told.demonstrations in before
    assert told.action_space in before
    assert len(before) > 0.5 * len(plain.text())


def test_turn_instructions_are_no_part_of_the_system_prompt():
    told = shipped_instruction("inject-fault")
    assert system_prompt("search", instructions=[told]).simulation_instruction == ""
    assert told.said() in turn_instructions([told])
    assert told.said("zh") in turn_instructions([told], "zh")

"""Faults come as planned, delay and refuse, and change nothing that is said."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.agents.session import Session
from worldgen.errors import CallerError
from worldgen.proofs.files import Files
from worldgen.proofs.leaks import CAP, ResultReader
from worldgen.records import Page
from worldgen.search import open_index
from worldgen.search.shown import show_document, show_page
from worldgen.tools import Perturbation, Toolbox, read_plan
from worldgen.tools.perturbation import FAULTS, parse_plan, shipped_plans
from worldgen.tools.perturbation.plan import MAX_IN_A_ROW
from worldgen.tools.perturbation.wrappers import _cut

REFUSING = ("rate_limit", "timeout", "server_error")
_ENTRY = re.compile(r"^\[\d+\] (\S+)$", re.MULTILINE)


def box(world, plan: str, seed: int = 0, profile: str = "search") -> Toolbox:
    return world.toolbox(profile, perturbation=Perturbation(parse_plan(plan), seed))


def words(world, n: int = 30) -> list[str]:
    return [name for (name,) in world.sql(f"SELECT name FROM wg_entity WHERE named = 1 ORDER BY id LIMIT {n}")]


def asked(tools: Toolbox, queries: list[str]) -> list[tuple[str, int, tuple[str, ...]]]:
    seen = [tools.observe("web_search", {"query": query}) for query in queries]
    return [(o.text, o.status, o.faults) for o in seen]


def test_the_same_seed_meets_the_same_faults_and_another_seed_others(tiny):
    queries = words(tiny) * 2
    for plan in shipped_plans():
        text = shipped_plans()[plan].read_text("utf-8")
        first = asked(box(tiny, text, 5), queries)
        assert first == asked(box(tiny, text, 5), queries)
        if plan in ("flaky", "misleading", "rough"):
            assert first != asked(box(tiny, text, 6), queries)


@pytest.mark.parametrize("kind", REFUSING)
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_calls_are_refused_at_the_rate(tiny, kind, rate):
    tools = box(tiny, f"faults: [{{kind: {kind}, rate: {rate}}}]", profile="api")
    seen = [tools.observe("ferry_get", {"id": f"no {n}"}) for n in range(2_000)]
    refused = [o for o in seen if o.faults == (kind,)]
    assert abs(len(refused) / len(seen) - rate) < 0.03
    assert all(o.status == 400 and not o.faults for o in seen if o not in refused)
    statuses = Counter(o.status for o in refused)
    assert set(statuses) <= {"rate_limit": {429}, "timeout": {504}, "server_error": {500, 502, 503}}[kind]
    assert all(o.retry_after == (1 if kind == "rate_limit" else None) for o in refused)
    assert all(re.match(r"Error: \d{3} [A-Z][A-Za-z ]+\. Try again", o.text) for o in refused)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(REFUSING), st.floats(0, 1), st.integers(1, 5)), min_size=1, max_size=4),
    st.data(),
)
def test_no_call_is_refused_more_often_in_a_row_than_all_faults_allow(tiny, faults, data):
    while sum(row for *_, row in faults) > MAX_IN_A_ROW:
        faults.pop()
    lines = "".join(f"\n- {{kind: {kind}, rate: {rate:.3f}, in_a_row: {row}}}" for kind, rate, row in faults)
    tools = box(tiny, f"faults:{lines}", data.draw(st.integers(0, 99)), profile="api")
    most = sum(row for *_, row in faults)
    rows: Counter[str] = Counter()
    for _ in range(120):
        id = data.draw(st.sampled_from(["a", "b", "c"])) if _ < 20 else "a"
        seen = tools.observe("ferry_get", {"id": id})
        rows[id] = rows[id] + 1 if seen.faults else 0
        assert rows[id] <= most


def test_after_it_passed_a_call_may_be_refused_again(tiny):
    tools = box(tiny, "faults: [{kind: timeout, rate: 1, in_a_row: 2}]", profile="api")
    seen = [tools.observe("line_count", {}).status for _ in range(9)]
    assert seen == [504, 504, 200] * 3


def test_calls_that_differ_in_form_only_are_one_call(tiny):
    tools = box(tiny, "faults: [{kind: timeout, rate: 1, in_a_row: 1}]", profile="api")
    seen = [tools.observe("line_list", said).status for said in ('{"limit": 1}', {"limit": 1}, ' {"limit":1} ')]
    assert seen == [504, 200, 504]


def test_only_the_tools_named_are_refused(tiny):
    tools = box(tiny, "faults: [{kind: timeout, rate: 1, tools: [web_search]}]")
    assert tools.observe("web_search", {"query": "a"}).status == 504
    assert tools.observe("dict_memory", {"operation": "retrieve_all"}).status == 200


PLANS = st.fixed_dictionaries(
    {},
    optional={
        "truncate": st.fixed_dictionaries({"words": st.integers(50, 400)}),
        "small_pages": st.fixed_dictionaries({"results": st.integers(1, 9)}),
        "stale_first": st.fixed_dictionaries({"rate": st.sampled_from([0.5, 1.0])}),
        "hostile_first": st.fixed_dictionaries({"rate": st.sampled_from([0.5, 1.0])}),
        "partial_batch": st.fixed_dictionaries({"rate": st.sampled_from([0.3, 1.0])}),
        "missing_field": st.fixed_dictionaries({"field": st.sampled_from(["date", "snippet"]), "rate": st.just(0.5)}),
        "rate_limit": st.fixed_dictionaries({"rate": st.sampled_from([0.2, 1.0]), "in_a_row": st.integers(1, 3)}),
        "server_error": st.fixed_dictionaries({"rate": st.just(0.3), "in_a_row": st.integers(1, 5)}),
    },
)


def plan_of(faults: dict) -> str:
    lines = "".join(
        f"\n- {{kind: {kind}, {', '.join(f'{key}: {value}' for key, value in settings.items())}}}"
        for kind, settings in faults.items()
    )
    return f"faults:{lines or ' [{kind: timeout, rate: 0}]'}"


@settings(max_examples=40, deadline=None)
@given(PLANS, st.integers(0, 1_000), st.data())
def test_parts_join_to_the_page_and_pages_to_the_results(tiny, faults, seed, data):
    tools = box(tiny, plan_of(faults), seed)
    session = Session(tools, "")
    url = data.draw(st.sampled_from(list(tiny.pages)))
    assert session.open(url) == show_document(tiny.open(url))
    query = data.draw(st.sampled_from(words(tiny))) + data.draw(st.sampled_from(["", " capacity", " fare"]))
    calm = {hit.url: hit for hit in tiny.toolbox().search([query])[0]}
    entries = session.search(query)
    ours = [entry for entry in entries if entry.url in calm]
    hostile = [entry for entry in entries if entry.url not in calm]
    assert sorted(entry.url for entry in ours) == sorted(calm)
    assert all(entry.title == calm[entry.url].title for entry in ours)
    assert all(entry.snippet in ("", calm[entry.url].snippet) for entry in ours)
    assert hostile == entries[: len(hostile)]
    assert len(hostile) <= ("hostile_first" in faults)
    if "stale_first" not in faults:
        assert [entry.url for entry in ours] == list(calm)
    again = session.search(query)
    assert [(e.url, e.title) for e in again] == [(e.url, e.title) for e in entries]
    assert session.open(url) == show_document(tiny.open(url))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab \t", max_size=30), max_size=40), st.integers(1, 9))
def test_any_text_is_cut_between_lines_and_joins_again(lines, most):
    text = "\n".join(lines)
    parts = _cut(text, most)
    assert "\n".join(parts) == text
    assert all(len(part.split()) <= most or "\n" not in part for part in parts)


def batch(tools: Toolbox, queries: list[str]) -> tuple[dict[str, set[str]], list[str]]:
    """What one call with several queries brings, all its pages: query → addresses, and the queries unanswered."""
    found: dict[str, set[str]] = {}
    unanswered: list[str] = []
    page = 1
    while True:
        text = tools.call("web_search", {"queries": queries, **({"page": page} if page > 1 else {})})
        unanswered += re.findall(r'^Error: no answer to "(.*)"', text, re.MULTILINE)
        parts = re.split(r"^Results for: (.*)$", text, flags=re.MULTILINE)
        named = zip(parts[1::2], parts[2::2], strict=True)
        for query, block in named if len(parts) > 1 else [(queries[0], text)]:
            found.setdefault(query, set()).update(_ENTRY.findall(block))
        if "with page=" not in text:
            return found, list(dict.fromkeys(unanswered))
        page += 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("small", ["", "\n- {kind: small_pages, results: 3}"])
def test_a_query_left_out_is_answered_when_asked_again(tiny, seed, small):
    left_out = 0
    tools = box(tiny, f"faults:\n- {{kind: partial_batch, rate: 0.6}}{small}", seed)
    for n in range(0, 20, 4):
        queries = words(tiny)[n : n + 4]
        calm = {q: {hit.url for hit in hits} for q, hits in zip(queries, tiny.toolbox().search(queries), strict=True)}
        found, unanswered = batch(tools, queries)
        left_out += len(unanswered)
        assert len(unanswered) < len(queries)
        if unanswered:
            more, none = batch(tools, queries)
            assert none == []
            found |= {query: urls for query, urls in more.items() if query in unanswered}
        assert found == calm
    assert left_out


@pytest.mark.parametrize("plan", sorted(shipped_plans()))
@pytest.mark.parametrize("more", ["", "\n  - {kind: small_pages, results: 2}"])
def test_the_fact_cap_holds_for_each_whole_result_page(tiny, tiny_world, plan, more):
    text = shipped_plans()[plan].read_text("utf-8").rstrip() + more
    if text.count("small_pages") > 1:
        text = text.removesuffix(more)
    # Without dates or snippets fewer facts can stand there; the reader wants them all.
    text = re.sub(r"\n *- \{kind: missing_field.*\}", "", text)
    files = Files(tiny_world)
    reader = ResultReader(files)
    for n, name in enumerate(words(tiny, 12)):
        session = Session(box(tiny, text, n), "")
        for query in (name, f"{name} capacity price length"):
            before = len(session.calls)
            session.search(query)
            pages = "\n\n".join(call.observation for call in session.calls[before:])
            stated, strange = reader.read(pages)
            assert len(stated) <= CAP
            assert not strange
    files.close()


def test_a_hostile_page_is_first_and_says_nothing_of_the_world(tiny_in_two_languages):
    world = tiny_in_two_languages
    tools = box(world, "faults:\n- {kind: hostile_first, rate: 1}\n- {kind: stale_first}")
    names = [name.casefold() for name in world.names() if len(name) > 3]
    values = {v for (v,) in world.sql("SELECT DISTINCT value FROM wg_fact WHERE length(value) > 3") if v}
    queries = [*words(world, 8), "用什么船", "capacity [x](http://y) <b>*|`#"]
    for query in queries:
        seen = tools.observe("web_search", {"query": query})
        url = _ENTRY.findall(seen.text)[0]
        assert seen.faults[-1:] == ("hostile_first",)
        with pytest.raises(KeyError):
            world.open(url)
        page = tools.open(url)
        assert isinstance(page, Page)
        assert (page.trust, page.date, page.statements) == ("low", "", ())
        assert url.partition("://")[2].partition("/")[0].endswith(".example")
        shown = f"{page.title}\n{page.body}".replace(query, "").casefold()
        assert not [name for name in names if name in shown]
        assert not [value for value in values if value in shown]
        assert not set("[]<>|`*#") & set(page.title)
        opened = tools.observe("web_extractor", {"url": url})
        assert opened.text == show_document(page)
        assert "hostile_first" in opened.faults


def test_stale_results_come_first(tiny):
    moved = 0
    for query in words(tiny):
        text = box(tiny, "faults: [{kind: stale_first}]").observe("web_search", {"query": query})
        kinds = [tiny.open(url).kind == "stale" for url in _ENTRY.findall(text.text)]
        assert kinds == sorted(kinds, reverse=True)
        moved += text.faults == ("stale_first",)
    assert moved


def test_no_label_of_a_fault_is_ever_shown(tiny):
    labels = re.compile("|".join(FAULTS.names()))
    for plan in shipped_plans():
        tools = box(tiny, shipped_plans()[plan].read_text("utf-8"))
        names = {re.sub(r"s$", "", n): n for n in tools.names()}
        search = next(n for n in names.values() if n in ("web_search", "find_pages"))
        open_ = next(n for n in names.values() if n in ("web_extractor", "read_page"))
        for query in words(tiny, 10):
            assert not labels.search(tools.call(search, {"query": query}))
        for url in list(tiny.pages)[:10]:
            assert not labels.search(tools.call(open_, {"url": url, "part": 1} if plan == "paged" else {"url": url}))
        assert not labels.search(str(tools.specs()))


def test_a_field_is_missing_from_lists_and_not_from_the_row(tiny):
    tools = box(
        tiny, "faults: [{kind: missing_field, field: seats}, {kind: missing_field, field: fare}]", profile="api"
    )
    listed = tools.observe("ferry_list", {"limit": 3})
    assert '"seats"' not in listed.text
    assert listed.faults == ("missing_field",)
    assert '"seats"' in tools.call("ferry_get", {"id": "ferry/1"})
    # Rows that cannot be got by themselves lose nothing.
    assert '"fare"' in tools.call("call_list", {"limit": 3})
    assert '"fare"' in tools.call("ferry_to_call", {"id": "ferry/1"})


def test_a_renamed_tool_is_called_by_its_new_name_alone(tiny):
    tools = box(
        tiny, "faults:\n- {kind: rename_tool, tool: web_extractor, to: read_page}\n- {kind: truncate, words: 50}"
    )
    assert tools.names() == ["web_search", "read_page", "dict_memory"]
    assert [spec["function"]["name"] for spec in tools.specs()] == tools.names()
    url = next(iter(tiny.pages))
    assert "unknown tool" in tools.call("web_extractor", {"url": url})
    text = tools.call("read_page", {"url": url})
    assert "[Part 1 of " in text
    assert "web_extractor" not in text


def test_a_name_that_another_tool_has_is_told_when_the_episode_starts(tiny):
    plan = "faults: [{kind: rename_tool, tool: line_get, to: ferry_get}]"
    with pytest.raises(CallerError, match="two tools have the name 'ferry_get'"):
        box(tiny, plan, profile="api")
    box(tiny, plan)


@pytest.mark.parametrize("digits", [0, 18, 5_000])
@pytest.mark.parametrize("odd", [0, -1, True, "2", 1.0, 99, [1]])
def test_odd_numbers_of_parts_and_pages_are_malformed(tiny, odd, digits):
    part = odd * 10**digits if type(odd) is int else odd
    tools = box(tiny, "faults: [{kind: truncate, words: 50}, {kind: small_pages, results: 2}]")
    for name, arguments in (
        ("web_extractor", {"url": next(iter(tiny.pages)), "part": part}),
        ("web_search", {"query": words(tiny)[0], "page": part}),
    ):
        seen = tools.observe(name, arguments)
        assert (seen.status, seen.text[:7]) == (400, "Error: ")
        assert len(seen.text) < 200


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", None, "expected faults: [ … ]"),
        ("faults: []", 1, "expected faults: [ … ]"),
        ("fault: x", 1, "no faults"),
        ("- a", 1, "no faults"),
        ("a: [", 2, "not YAML"),
        ("\tx: 1", 1, "tab"),
        ("faults: &x [{kind: truncate}]", 1, "anchor &x"),
        ("about: x\nfaults:\n- {kind: timeot}", 3, "unknown fault 'timeot'; expected hostile_first or"),
        ("faults:\n- {kind: timeot}", 2, "did you mean 'timeout'?"),
        ("faults:\n- x", 2, "a fault has no kind"),
        ("faults:\n- {rate: 1}", 2, "a fault has no kind"),
        ("faults:\n- kind: timeout\n  rate: 2", 3, "`rate` is wrong; expected less than or equal to 1; got 2"),
        ("faults:\n- kind: timeout\n  rate: x", 3, "`rate` is wrong; expected a valid number; got 'x'"),
        ("faults:\n- kind: timeout\n  rate: true", 3, "`rate` is wrong"),
        ("faults:\n- kind: timeout\n  rte: 1", 3, "unknown key 'rte'; expected in_a_row or rate or tools"),
        ("faults:\n- kind: timeout", 2, "`rate` is missing"),
        ("faults:\n- kind: timeout\n  rate: 1\n  rate: 0", 4, "given twice"),
        ("faults:\n- kind: truncate\n  words: 10", 3, "greater than or equal to 50; got 10"),
        ("faults:\n- {kind: server_error, rate: 1, statuses: [404]}", 2, "expected statuses are 500, 502 or 503"),
        ("faults:\n- {kind: rename_tool, tool: web_search, to: A-b}", 2, "`to` is wrong"),
        ("faults:\n- {kind: missing_field, field: id}", 2, "do not go by"),
        ("faults:\n- {kind: truncate}\n- {kind: truncate}", 3, "a second 'truncate'"),
        ("faults:\n- {kind: rename_tool, tool: web_search, to: dict_memory}", 2, "'dict_memory' is taken"),
        ("faults:\n- {kind: rename_tool, tool: a, to: x}\n- {kind: rename_tool, tool: b, to: x}", 3, "'x' is taken"),
        ("faults:\n- {kind: rename_tool, tool: a, to: x}\n- {kind: rename_tool, tool: a, to: y}", 3, "renamed twice"),
        ("faults:\n" + "- {kind: timeout, rate: 1, in_a_row: 5}\n" * 3, 4, "at most 10; got 15"),
        ("faults:\n" + "- {kind: timeout, rate: 1, in_a_row: 1}\n" * 60, 1, "too many faults"),
        ("faults: [{kind: truncate}]\nnam: x", 2, "did you mean 'name'?"),
        ("name: [x]\nfaults: [{kind: truncate}]", 1, "`name` is wrong"),
        (f"name: {'x' * 61}\nfaults: [{{kind: truncate}}]", 1, "a line of 60 characters at most"),
    ],
)
def test_a_wrong_plan_is_told_in_one_line(tmp_path, text, line, said):
    path = tmp_path / "plan.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(CallerError) as caught:
        read_plan(path)
    told = str(caught.value)
    assert said in told
    assert told.startswith(f"{path}:{line}: " if line else str(path))
    assert "\n" not in told
    assert caught.value.expected or caught.value.fix or "YAML" in told or "twice" in told


def test_what_is_no_file_of_a_plan_is_told(tmp_path):
    huge, odd = tmp_path / "huge.yaml", tmp_path / "odd.yaml"
    huge.write_text("#" * 300_000)
    odd.write_bytes(b"\xff\xfe")
    for source, said in (
        (tmp_path, "cannot be read"),
        (tmp_path / "none.yaml", "cannot be read"),
        ("flakey", "did you mean 'flaky'?"),
        ("/dev/zero", "cannot be read"),
        ("a\0b", "cannot be read"),
        ("x" * 5_000, "cannot be read"),
        (huge, "too large"),
        (odd, "cannot be read"),
    ):
        with pytest.raises(CallerError, match=re.escape(said)) as caught:
            read_plan(source)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 700


@settings(max_examples=150, deadline=None)
@given(st.text("faults:kind [{}],-\n\"'tmeou0.1", max_size=60))
def test_any_text_is_a_plan_or_told(text):
    try:
        plan = parse_plan(text)
    except CallerError:
        return
    assert plan.faults


def test_shipped_plans_are_read_and_between_them_have_every_kind():
    plans = [read_plan(name) for name in shipped_plans()]
    assert {fault.kind for plan in plans for fault in plan.faults} == set(FAULTS.names())
    assert all(plan.about and plan.name in shipped_plans() for plan in plans)


def test_faults_lie_over_any_engine():
    page = Page(
        "https://a.example/p", "a.example", "news", "en", "Velta", "2029-01-01", "", "Velta opens.", "high", "sound"
    )
    engine = open_index(None, "", {page.url: page})
    plan = parse_plan("faults: [{kind: small_pages, results: 1}, {kind: truncate}]")
    tools = Toolbox(engine, perturbation=Perturbation(plan, 0))
    assert tools.call("web_search", {"query": "Velta"}) == show_page(engine.search("Velta"))
    assert tools.call("web_search", {"query": ""}).startswith("No results found")

"""Damage to the pages: spans, words, labels, dates, links, what a search shows."""

from __future__ import annotations

import json
import re

from damage import Copy, found_by

_PLAIN = "s.label = 'sound' AND s.form = 'plain' AND p.kind = 'sound'"
_FROM = "FROM wg_statement s JOIN wg_page p ON p.url = s.url JOIN wg_fact f ON f.id = s.fact"


def statement(copy: Copy, where: str) -> tuple:
    """The first plain sound statement of that kind: id, url, fact, start, value start, value end, its value's words."""
    found = copy.first(
        "SELECT s.id, s.url, s.fact, s.start, s.value_start, s.value_end,"
        f" substr(p.body, s.value_start + 1, s.value_end - s.value_start) {_FROM} WHERE {_PLAIN} AND {where}"
        " ORDER BY s.id LIMIT 1"
    )
    return found


@found_by("integrity.corpus", settled=False)
def a_body_edited_in_the_corpus_file(copy):
    first, rest = copy.text("corpus.jsonl").split("\n", 1)
    record = json.loads(first)
    record["body"] += " And more."
    copy.write("corpus.jsonl", json.dumps(record, ensure_ascii=False) + "\n" + rest)


@found_by("integrity.corpus", settled=False)
def a_page_gone_from_the_corpus_file(copy):
    copy.write("corpus.jsonl", copy.text("corpus.jsonl").split("\n", 1)[1])


@found_by("integrity.links")
def a_link_that_leads_elsewhere_than_listed(copy):
    url, target = copy.first(
        "SELECT l.url, l.target FROM wg_link l JOIN wg_page p ON p.url = l.url WHERE p.kind = 'sound' LIMIT 1"
    )
    body = copy.first("SELECT body FROM wg_page WHERE url = ?", url)
    at = body.index(f"]({target})") + len(target)
    copy.overwrite(url, at, "~")


@found_by("statements.spans")
def a_span_beyond_the_page(copy):
    copy.run('UPDATE wg_statement SET "end" = 99999, value_end = 99999 WHERE id = 5')


@found_by("statements.spans")
def a_span_that_cuts_a_word(copy):
    number, *_ = statement(copy, "length(s.claimed) > 4 AND f.type = 'ref'")
    copy.run("UPDATE wg_statement SET value_start = value_start + 1 WHERE id = ?", number)


@found_by("statements.spans")
def a_value_outside_its_sentence(copy):
    number, *_ = statement(copy, "s.start > 60")
    copy.run("UPDATE wg_statement SET value_start = 0, value_end = 4 WHERE id = ?", number)


@found_by("statements.values")
def a_digit_changed_in_the_text(copy):
    _, url, _, _, start, _, words = statement(copy, "f.attribute = 'seats'")
    at = next(i for i, char in enumerate(words) if char.isdigit())
    copy.overwrite(url, start + at, "7" if words[at] != "7" else "8")


@found_by("statements.values")
def a_unit_changed_in_the_text(copy):
    _, url, _, _, start, _, words = statement(
        copy, "f.attribute = 'length' AND substr(p.body, s.value_end - 5, 6) = 'metres'"
    )
    copy.overwrite(url, start + words.index("metres"), "litres")


@found_by("statements.values")
def a_span_swapped_with_its_neighbour(copy):
    one, url, _, _, *first, _ = statement(copy, "f.attribute = 'power'")
    two, *second = copy.first(
        "SELECT s.id, s.value_start, s.value_end FROM wg_statement s JOIN wg_fact f ON f.id = s.fact"
        " WHERE s.url = ? AND f.attribute = 'length' AND s.form = 'plain'",
        url,
    )
    for number, (start, end) in ((one, second), (two, first)):
        copy.run(
            'UPDATE wg_statement SET start = ?, "end" = ?, value_start = ?, value_end = ? WHERE id = ?',
            start, end, start, end, number,
        )  # fmt: skip


@found_by("statements.values")
def a_claim_changed(copy):
    number, *_ = statement(copy, "f.attribute = 'seats'")
    copy.run("UPDATE wg_statement SET claimed = claimed + 1 WHERE id = ?", number)


@found_by("statements.values")
def a_fact_changed_in_catalogue_and_table(copy):
    copy.run("UPDATE ferry SET seats = seats + 1 WHERE id = 'ferry/10'")
    copy.run("UPDATE wg_fact SET value = value + 1 WHERE id = 'ferry/10/seats'")


@found_by("statements.values")
def a_sound_sentence_called_stale(copy):
    number, *_ = statement(copy, "f.attribute = 'seats'")
    copy.run("UPDATE wg_statement SET label = 'stale' WHERE id = ?", number)


@found_by("statements.values")
def a_mistake_called_sound(copy):
    copy.run("UPDATE wg_statement SET label = 'sound' WHERE label = 'mistaken'")


@found_by("statements.values")
def a_disclosed_value_said_not_to_be(copy):
    number, *_ = statement(copy, "f.attribute = 'price'")
    copy.run("UPDATE wg_statement SET label = 'undisclosed', claimed = '' WHERE id = ?", number)


@found_by("statements.values")
def a_name_changed_in_the_text(copy):
    _, url, _, _, start, _, words = statement(copy, "f.attribute = 'line'")
    copy.overwrite(url, start, "Q" * len(words))


@found_by("statements.labels")
def a_sentence_about_another_attribute(copy):
    _, url, _, start, *_ = statement(copy, "f.attribute = 'seats' AND substr(p.body, s.start + 1, 1) <> '|'")
    body = copy.first("SELECT body FROM wg_page WHERE url = ?", url)
    end = copy.first('SELECT "end" FROM wg_statement WHERE url = ? AND start = ?', url, start)
    words = body[start:end].casefold()
    label = next(word for word in ("passenger capacity", "places on board", "capacity") if word in words)
    copy.overwrite(url, start + words.index(label), "hull colour and so on"[: len(label)].ljust(len(label), "."))


@found_by("statements.labels")
def a_column_of_another_year(copy):
    url, body = copy.first(
        "SELECT url, body FROM wg_page WHERE genre = 'statistics' AND body LIKE '%| 2025 |%' AND kind = 'sound'"
    )
    copy.overwrite(url, body.index("| 2025 |") + 2, "2019")


@found_by("statements.subjects")
def a_subject_named_nowhere(copy):
    _, url, fact, *_ = statement(copy, "p.subject = '' AND f.subject LIKE 'ferry/%'")
    name = copy.first("SELECT name FROM wg_entity WHERE id = ?", fact.rpartition("/")[0])
    copy.run("UPDATE wg_page SET body = replace(body, ?, ?), title = replace(title, ?, ?) WHERE url = ?",
             name, "Q" * len(name), name, "Q", url)  # fmt: skip


@found_by("statements.coverage")
def a_fact_that_no_page_states(copy):
    fact = copy.first("SELECT fact FROM wg_statement WHERE label = 'sound' LIMIT 1")
    copy.run("DELETE FROM wg_statement WHERE fact = ?", fact)


@found_by("statements.coverage")
def a_fact_that_only_stale_pages_state(copy):
    fact = copy.first("SELECT fact FROM wg_statement WHERE label = 'stale' LIMIT 1")
    copy.run("DELETE FROM wg_statement WHERE fact = ? AND label = 'sound'", fact)


@found_by("statements.conflicts")
def a_stale_page_made_the_newest(copy):
    copy.run("UPDATE wg_page SET date = '2028-10-31', trust = 'high', url = url WHERE kind = 'stale'")
    copy.run(
        "UPDATE wg_page SET date = '2025-01-01' WHERE kind = 'sound' AND url IN (SELECT url FROM wg_statement"
        " WHERE fact IN (SELECT fact FROM wg_statement WHERE label = 'stale'))"
    )


@found_by("statements.conflicts")
def a_mistaken_site_trusted(copy):
    copy.run("UPDATE wg_page SET trust = 'high', date = '2028-10-31', url = url WHERE kind = 'mistaken'")
    copy.run(
        "UPDATE wg_page SET trust = 'low' WHERE kind = 'sound' AND url IN (SELECT url FROM wg_statement"
        " WHERE fact IN (SELECT fact FROM wg_statement WHERE label = 'mistaken'))"
    )


@found_by("statements.conflicts")
def a_stale_page_called_sound(copy):
    copy.run("UPDATE wg_page SET kind = 'sound' WHERE url = (SELECT min(url) FROM wg_page WHERE kind = 'stale')")


@found_by("statements.dates")
def a_page_from_the_future(copy):
    copy.run("UPDATE wg_page SET date = '2031-01-01' WHERE url = (SELECT url FROM wg_statement LIMIT 1)")


@found_by("statements.dates")
def a_report_before_the_event(copy):
    _, url, *_ = statement(copy, "f.attribute = 'launched' AND p.date <> ''")
    copy.run("UPDATE wg_page SET date = '1990-01-01' WHERE url = ?", url)


@found_by("statements.dates")
def a_count_told_before_it_was_made(copy):
    _, url, *_ = statement(copy, "f.attribute = 'residents' AND p.date <> ''")
    copy.run("UPDATE wg_page SET date = '2028-05-31' WHERE url = ?", url)


@found_by("statements.dates")
def an_old_copy_newer_than_the_news(copy):
    copy.run("UPDATE wg_page SET date = '2028-10-31' WHERE kind = 'stale'")


@found_by("statements.conflicts")
def a_length_that_was_another_before(copy):
    number, url = copy.first(
        f"SELECT s.id, s.url {_FROM} WHERE s.label = 'mistaken'"
        " AND f.attribute IN ('length', 'power', 'opened', 'shore', 'depth', 'founded', 'drive', 'launched', 'licence')"
    )
    fact = copy.first("SELECT fact FROM wg_statement WHERE id = ?", number)
    copy.run("UPDATE wg_statement SET label = 'stale' WHERE url = ? AND fact = ?", url, fact)
    copy.run("UPDATE wg_page SET kind = 'stale' WHERE url = ?", url)


@found_by("statements.forms")
def everything_said_outright(copy):
    copy.run("UPDATE wg_statement SET form = 'plain'")
    copy.run(
        'DELETE FROM wg_evidence WHERE id NOT IN (SELECT min(id) FROM wg_evidence GROUP BY instance_id, row, "column")'
    )


@found_by("search.fact-cap")
def facts_that_are_not_labelled(copy):
    copy.run("DELETE FROM wg_statement WHERE id NOT IN (SELECT min(id) FROM wg_statement GROUP BY fact)")


@found_by("search.fact-cap")
def figures_in_titles(copy):
    for url, words in _words_by_page(copy):
        copy.run("UPDATE wg_page SET title = title || ? WHERE url = ?", f": {words}", url)


def _words_by_page(copy: Copy) -> list[tuple[str, str]]:
    """Each article with the words of up to six of its values."""
    found: dict[str, list[str]] = {}
    for url, words in copy.rows(
        f"SELECT s.url, substr(p.body, s.value_start + 1, s.value_end - s.value_start) {_FROM}"
        " WHERE p.genre IN ('encyclopedia', 'organisation') AND f.subject = p.subject AND s.label = 'sound'"
        " ORDER BY s.id"
    ):
        found.setdefault(url, []).append(words)
    return [(url, ", ".join(words[:6])) for url, words in sorted(found.items())]


def _readdress(copy: Copy, address) -> None:
    """Give pages other addresses, wherever these stand; one that is taken is left as it was."""
    taken: set[str] = set()
    for (url,) in copy.rows("SELECT url FROM wg_page ORDER BY url"):
        other = address(url)
        if other == url or other in taken:
            continue
        taken.add(other)
        copy.run("UPDATE wg_page SET url = ? WHERE url = ?", other, url)
        for table, column in (
            ("wg_statement", "url"),
            ("wg_evidence", "url"),
            ("wg_link", "url"),
            ("wg_link", "target"),
        ):
            copy.database.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (other, url))
    assert taken


@found_by("search.guessed-urls")
def addresses_without_a_token(copy):
    _readdress(copy, lambda url: re.sub(r"-[a-z0-9]{6}$", "", url))


@found_by("search.guessed-urls")
def addresses_that_are_numbered(copy):
    _readdress(copy, lambda url: re.sub(r"-[a-z0-9]{6}$", "-1", url))


@found_by("search.guessed-urls")
def one_token_for_all_addresses(copy):
    _readdress(copy, lambda url: re.sub(r"-[a-z0-9]{6}$", "-aaaaaa", url))

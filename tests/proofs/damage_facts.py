"""Damage to the facts: digests, references, names, and what the schema promises of values."""

from __future__ import annotations

import json

from damage import Copy, found_by


def set_fact(copy: Copy, fact: str, value: object) -> None:
    """Change a fact in the catalogue and in its table alike."""
    row, _, attribute = fact.rpartition("/")
    copy.run(f'UPDATE "{row.split("/")[0]}" SET "{attribute}" = ? WHERE id = ?', value, row)
    copy.run("UPDATE wg_fact SET value = ? WHERE id = ?", None if value is None else str(value), fact)


@found_by("integrity.digests", settled=False, sealed=False)
def a_cell_changed_without_a_word(copy):
    copy.run("UPDATE ferry SET seats = seats + 1 WHERE id = 'ferry/3'")


@found_by("integrity.digests", settled=False, sealed=False)
def an_artefact_edited_by_one_byte(copy):
    copy.write("graph.graphml", copy.text("graph.graphml") + "\n")


@found_by("integrity.digests", settled=False, sealed=False)
def a_file_gone(copy):
    (copy.folder / "corpus.jsonl").unlink()


@found_by("integrity.digests", settled=False, sealed=False)
def a_digest_of_another_world(copy):
    copy.write("manifest.json", json.dumps(copy.manifest | {"digest": "0" * 64}))


@found_by("integrity.digests", settled=False, sealed=False)
def a_table_more_than_the_manifest_knows(copy):
    copy.database.execute("CREATE TABLE wg_extra (id TEXT)")


@found_by("integrity.references")
def a_page_lost(copy):
    copy.run("DELETE FROM wg_page WHERE url = (SELECT url FROM wg_statement LIMIT 1)")


@found_by("integrity.references")
def a_fact_lost_with_all_that_states_it(copy):
    fact = copy.first("SELECT fact FROM wg_statement WHERE fact NOT IN (SELECT fact FROM wg_evidence) LIMIT 1")
    copy.run("DELETE FROM wg_fact WHERE id = ?", fact)
    copy.run("DELETE FROM wg_statement WHERE fact = ?", fact)


@found_by("integrity.references")
def a_cell_at_odds_with_its_fact(copy):
    copy.run("UPDATE ferry SET power = power + 10 WHERE id = 'ferry/4'")


@found_by("integrity.references")
def a_ref_to_nobody(copy):
    set_fact(copy, "ferry/5/line", "line/99")


@found_by("integrity.references")
def a_link_out_of_the_world(copy):
    url = copy.first("SELECT url FROM wg_page WHERE kind = 'sound' AND url IN (SELECT url FROM wg_link) LIMIT 1")
    copy.run(
        "UPDATE wg_link SET target = 'https://nowhere.example/' WHERE id = (SELECT min(id) FROM wg_link WHERE url = ?)",
        url,
    )


@found_by("integrity.references")
def an_entity_of_another_name(copy):
    copy.run("UPDATE wg_entity SET name = name || ' II' WHERE id = 'ferry/6'")


@found_by("integrity.references")
def evidence_for_no_question(copy):
    copy.run("UPDATE wg_evidence SET instance_id = 'nobody' WHERE id = 0")


@found_by("integrity.names")
def two_entities_of_one_name(copy):
    name = copy.first("SELECT name FROM ferry WHERE id = 'ferry/0'")
    for table in ("ferry", "wg_entity"):
        copy.run(f"UPDATE {table} SET name = ? WHERE id = 'ferry/1'", name)


@found_by("integrity.names")
def an_alias_shared_in_secret(copy):
    language, text, owner = copy.first("SELECT language, text, entity FROM wg_alias WHERE ambiguous = 0 LIMIT 1")
    other = copy.first("SELECT id FROM wg_entity WHERE named = 1 AND id <> ? LIMIT 1", owner)
    copy.run("INSERT INTO wg_alias SELECT max(id) + 1, ?, ?, ?, 0 FROM wg_alias", other, language, text)


@found_by("integrity.counts", settled=False)
def a_manifest_that_counts_wrong(copy):
    counts = copy.manifest["counts"]
    copy.write("manifest.json", json.dumps(copy.manifest | {"counts": counts | {"facts": counts["facts"] - 1}}))


@found_by("integrity.graph", settled=False)
def a_value_edited_in_the_graph(copy):
    text = copy.text("graph.graphml")
    old = f'<data key="seats">{copy.first("SELECT seats FROM ferry LIMIT 1")}</data>'
    copy.write("graph.graphml", text.replace(old, '<data key="seats">7</data>', 1))


@found_by("integrity.graph", settled=False)
def an_edge_cut_in_the_graph(copy):
    head, _, rest = copy.text("graph.graphml").partition("<edge ")
    copy.write("graph.graphml", head + rest.partition("</edge>")[2])


@found_by("constraints.checks")
def a_row_that_breaks_a_check(copy):
    set_fact(copy, "ferry/0/launched", "1901-01-01")


@found_by("constraints.checks-can-fail", settled=False)
def a_check_that_cannot_fail(copy):
    schema = json.loads(copy.text("schema.json"))
    schema["checks"]["no_ferry_before_its_line"]["sql"] = "SELECT id FROM ferry WHERE 0"
    copy.write("schema.json", json.dumps(schema))


@found_by("constraints.attributes")
def a_value_below_its_least(copy):
    set_fact(copy, "ferry/7/length", "2.5")


@found_by("constraints.attributes")
def a_value_above_its_greatest(copy):
    set_fact(copy, "landing/1/depth", "9.6")


@found_by("constraints.attributes")
def a_value_that_is_no_multiple(copy):
    copy.run("UPDATE ferry SET power = power + 3 WHERE id = 'ferry/2'")


@found_by("constraints.attributes")
def a_value_finer_than_its_decimals(copy):
    copy.run("UPDATE ferry SET length = length + 0.0625 WHERE id = 'ferry/2'")


@found_by("constraints.attributes")
def a_category_that_does_not_exist(copy):
    set_fact(copy, "ferry/8/drive", "steam")


@found_by("constraints.attributes")
def a_year_before_what_it_follows(copy):
    set_fact(copy, "call/0/since", 1998)
    set_fact(copy, "ferry/" + copy.first("SELECT ferry FROM call WHERE id = 'call/0'")[6:] + "/launched", "2020-01-01")


@found_by("constraints.attributes")
def two_ranks_exchanged(copy):
    copy.run("UPDATE line SET size_rank = 3 - size_rank WHERE size_rank IN (1, 2)")


@found_by("constraints.attributes")
def a_rank_held_twice(copy):
    copy.run("UPDATE line SET size_rank = 2 WHERE size_rank = 1")


@found_by("constraints.attributes")
def shares_that_add_up_to_more(copy):
    copy.run("UPDATE line SET market_share = round(market_share + 0.1, 1) WHERE id = 'line/0'")


@found_by("constraints.attributes")
def a_dependency_ignored(copy):
    set_fact(copy, "ferry/9/crew", 9)


@found_by("constraints.attributes")
def an_aggregate_that_miscounts(copy):
    set_fact(copy, "line/1/fleet", copy.first("SELECT fleet FROM line WHERE id = 'line/1'") + 1)


@found_by("constraints.attributes")
def a_unique_number_given_twice(copy):
    set_fact(copy, "line/2/licence", copy.first("SELECT licence FROM line WHERE id = 'line/3'"))


@found_by("constraints.attributes")
def a_company_that_owns_itself(copy):
    set_fact(copy, "line/2/parent", "line/3")
    set_fact(copy, "line/3/parent", "line/2")


@found_by("constraints.attributes")
def a_period_lost(copy):
    row, line, period = copy.first("SELECT id, line, period FROM line_riders LIMIT 1")
    copy.run("DELETE FROM line_riders WHERE id = ?", row)
    copy.run("DELETE FROM wg_fact WHERE id = ?", f"{line}/riders@{period}")


@found_by("constraints.attributes")
def a_running_total_that_falls(copy):
    copy.run("UPDATE line_sailings SET sailings = 10 WHERE line = 'line/4' AND period = '2026'")
    copy.run("UPDATE wg_fact SET value = '10' WHERE id = 'line/4/sailings@2026'")


@found_by("constraints.relations")
def a_pair_joined_twice(copy):
    ferry, landing = copy.first("SELECT ferry, landing FROM call WHERE id = 'call/0'")
    copy.run("UPDATE call SET ferry = ?, landing = ? WHERE id = 'call/1'", ferry, landing)


@found_by("constraints.relations")
def a_relation_that_ends_before_it_starts(copy):
    set_fact(copy, "call/2/until", copy.first("SELECT since FROM call WHERE id = 'call/2'") - 1)

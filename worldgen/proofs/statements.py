"""Do the pages say what the facts say? Spans, meanings, coverage, and what is out of date or wrong on purpose."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from worldgen.proofs.files import Files, Leaf, Said
from worldgen.proofs.knowing import Knowledge, after
from worldgen.proofs.meaning import attributes, means
from worldgen.proofs.report import ProofResult, result

_TRUST = {"low": 0, "medium": 1, "high": 2}
_SOUND = ("sound", "undisclosed")
_TARGET = re.compile(r"\]\([^)\s]*\)")  # an address may hold a name, but does not say it
_FORMS = ("plain", "unit", "relative", "two_step")


def prove_spans(files: Files) -> ProofResult:
    """Spans lie within their page, the value's within the sentence's, none is empty, none begins or ends in a word."""
    failures = []
    for said in files.statements:
        page = files.pages.get(said.url)
        if page is None:
            failures.append(f"{said.url}: states facts but is no page of the world")
            continue
        inside = 0 <= said.start <= said.value_start < said.value_end <= said.end <= len(page.body)
        if not inside:
            failures.append(f"{said.url}: {said.fact} has the spans {said[2:6]} on a page of {len(page.body)}")
        elif _cuts(page.body, said.value_start, said.value_end) or _cuts(page.body, said.start, said.end):
            failures.append(f"{said.url}: {said.fact} is cut inside a word: {page.body[said.start : said.end]!r}")
        elif said.form not in _FORMS or said.label not in (*_SOUND, "stale", "mistaken"):
            failures.append(f"{said.url}: {said.fact} has the form {said.form!r} and the label {said.label!r}")
    return result("statements.spans", len(files.statements), failures, "every span lies where it should")


def _cuts(body: str, start: int, end: int) -> bool:
    def word(a: str, b: str) -> bool:
        return a.isascii() and b.isascii() and a.isalnum() and b.isalnum()

    return (start > 0 and word(body[start - 1], body[start])) or (end < len(body) and word(body[end - 1], body[end]))


def prove_values(files: Files) -> ProofResult:
    """The words of every statement mean what it claims, and a sound one claims the fact itself."""
    known = attributes(files)
    failures = []
    for said in files.statements:
        page, fact = files.pages.get(said.url), files.facts.get(said.fact)
        if page is None or fact is None:
            continue
        wanted = fact.value or ""
        if said.label == "undisclosed":
            if fact.disclosed or said.claimed:
                failures.append(f"{said.url}: says that {said.fact} is not disclosed, which it is ({wanted!r})")
            continue
        if not fact.disclosed and said.label == "sound":
            failures.append(f"{said.url}: states {said.fact}, which is not disclosed")
        elif said.label == "sound" and said.claimed != wanted:
            failures.append(f"{said.url}: claims {said.claimed!r} for {said.fact}, which is {wanted!r}")
        elif said.label in ("stale", "mistaken") and said.claimed == wanted:
            failures.append(f"{said.url}: is labelled {said.label} for {said.fact}, but claims the fact itself")
        elif not means(files, known, said, page):
            words = page.body[said.start : said.end]
            failures.append(f"{said.url}: {words!r} does not mean {said.claimed!r} for {said.fact}")
    return result("statements.values", len(files.statements), failures, "every sentence means what it claims")


def prove_subjects(files: Files) -> ProofResult:
    """A statement's sentence names its subject (or all parts of its key), unless its page is about that subject."""
    failures = []
    parts = key_parts(files)
    texts = {url: _TARGET.sub("]", f"{page.title}\n{page.body}").casefold() for url, page in files.pages.items()}
    for said in files.statements:
        page, fact = files.pages.get(said.url), files.facts.get(said.fact)
        if page is None or fact is None or fact.subject == page.subject:
            continue
        text = texts[said.url]
        for part in parts.get(fact.subject, [fact.subject]):
            if part != page.subject and not any(surface in text for surface in files.surfaces.get(part, set())):
                failures.append(f"{said.url}: states {said.fact} but never names {part}")
    return result("statements.subjects", len(files.statements), failures, "every page names what it speaks of")


def key_parts(files: Files) -> dict[str, list[str]]:
    """Row without a name of its own → the entities of its key."""
    found: dict[str, list[str]] = {}
    unnamed = {row[0] for row in files.rows("SELECT DISTINCT type FROM wg_entity WHERE named = 0")}
    for table in unnamed & set(files.tables):
        node = files.schema.get("entities", {}).get(table) or files.schema.get("relations", {}).get(table) or {}
        key = node.get("key") or node.get("roles") or [node.get("from"), node.get("to")]
        for row in files.table(table):
            found[row["id"]] = [row[k] for k in key if isinstance(row.get(k), str) and row[k] in files.names]
    return found


def _sound_by_fact(files: Files) -> dict[tuple[str, str], list[Said]]:
    """(fact, language) → its sound statements."""
    found: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for said in files.statements:
        page = files.pages.get(said.url)
        if page is not None and said.label in _SOUND:
            found[said.fact, page.language].append(said)
    return found


def prove_coverage(files: Files) -> ProofResult:
    """Every fact is stated somewhere in every language of the world, one that is not disclosed as such."""
    stated = _sound_by_fact(files)
    languages = files.manifest["languages"]
    failures = []
    counted = 0
    for fact in files.facts.values():
        if fact.value is None and fact.disclosed:
            continue  # refers to nothing: there is nothing to state
        for language in languages:
            counted += 1
            if not stated.get((fact.id, language)):
                failures.append(f"{fact.id} is stated on no page in {language}")
    twice = sum(len({s.url for s in said}) > 1 for said in stated.values())
    share = twice / max(1, counted)
    return result("statements.coverage", counted, failures, f"{share:.0%} of facts stand on more than one page")


def prove_conflicts(files: Files) -> ProofResult:
    """Where pages disagree, the world's rule (trust, then date, then URL) finds the fact; only what can change did."""
    wrong = [s for s in files.statements if s.label in ("stale", "mistaken")]
    rivals: dict[tuple[str, str], list[Said]] = defaultdict(list)
    disputed = {s.fact for s in wrong}
    for said in files.statements:
        if said.fact in disputed and said.url in files.pages:
            rivals[said.fact, files.pages[said.url].language].append(said)
    failures = []
    for (fact, language), claims_made in sorted(rivals.items()):
        standing = max(_standing(files.pages[s.url]) for s in claims_made)
        best = min((s for s in claims_made if _standing(files.pages[s.url]) == standing), key=lambda s: s.url)
        if best.label not in _SOUND:
            failures.append(f"{fact} in {language}: the rule prefers {best.url}, which is {best.label}")
    knowledge = Knowledge(files)
    for said in wrong:
        known = files.facts.get(said.fact)
        if said.label == "stale" and known is not None and knowledge.fixed(known.subject, known.attribute):
            failures.append(f"{said.url}: {said.fact} is out of date, but cannot change")
    kinds = {label: sum(s.label == label for s in wrong) for label in ("stale", "mistaken")}
    failures += list(_kinds(files))
    detail = f"{kinds['stale']} stale and {kinds['mistaken']} mistaken statements, all decidable"
    return result("statements.conflicts", len(rivals), failures, detail)


def _standing(page: Leaf) -> tuple[int, str]:
    """What decides between pages; among equals the URL that is first in the alphabet does."""
    return _TRUST[page.trust], page.date


def _kinds(files: Files) -> Iterator[str]:
    """A page's kind says whether it holds a stale or a mistaken statement."""
    labels: dict[str, set[str]] = defaultdict(set)
    for said in files.statements:
        labels[said.url].add(said.label)
    for url, page in files.pages.items():
        for label in ("stale", "mistaken"):
            if (label in labels[url]) != (page.kind == label):
                yield f"{url} is of the kind {page.kind!r} and its labels are {sorted(labels[url])}"


def prove_dates(files: Files) -> ProofResult:
    """A page is not older than what it reports or could know, what is out of date is older, none is from the future."""
    as_of = str(files.schema["as_of"])
    failures = [f"{u} is dated {p.date}, after {as_of}" for u, p in files.pages.items() if p.date and p.date > as_of]
    since = Knowledge(files).since
    for said in files.statements:
        page, fact = files.pages.get(said.url), files.facts.get(said.fact)
        if page is None or fact is None or not page.date:
            continue
        if page.date < since.get(fact.id, ""):
            failures.append(f"{said.url} of {page.date} states {said.fact}, known since {since[fact.id]}")
        if not said.claimed or (fact.type == "date" and said.claimed > as_of):
            continue  # a plan: it may be announced before it happens
        happened = said.claimed if fact.type == "date" else fact.time and after(fact.time)
        if happened and page.date < happened:
            failures.append(f"{said.url} of {page.date} reports {said.fact} of {fact.time or happened}")
    failures += list(_overtaken(files))
    detail = f"no page is older than what it reports; {len(since)} facts are known since a certain day"
    return result("statements.dates", len(files.pages), failures, detail)


def _overtaken(files: Files) -> Iterator[str]:
    """Statements out of date on pages that are no older than a page with the present value, in the same language."""
    first: dict[tuple[str, str], str] = {}
    for (fact, language), sound in _sound_by_fact(files).items():
        dates = [files.pages[s.url].date for s in sound if s.label == "sound" and files.pages[s.url].date]
        first[fact, language] = min(dates, default="9999")
    for said in files.statements:
        page = files.pages.get(said.url)
        if said.label == "stale" and page is not None and page.date >= first.get((said.fact, page.language), "9999"):
            yield f"{said.url} of {page.date} is out of date in {said.fact}, which was told before"


def prove_forms(files: Files) -> ProofResult:
    """At least 15 % of gold cells need a conversion, a date or a second sentence, whichever page one reads."""
    stated = _sound_by_fact(files)
    language = {row[0]: row[1] for row in files.rows("SELECT instance_id, language FROM wg_task")}
    cells: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    for task, row, column, fact in files.rows('SELECT instance_id, row, "column", fact FROM wg_evidence'):
        cells[task, row, column].add(fact)
    values = {key: facts for key, facts in cells.items() if any(files.facts[f].value is not None for f in facts)}
    indirect = 0
    for (task, _, _), facts in values.items():
        forms = [{s.form for s in stated.get((fact, language[task]), [])} for fact in facts]
        indirect += len(facts) > 1 or any("plain" not in form for form in forms)
    share = indirect / len(values) if values else 1.0
    failures = [] if share >= 0.15 else [f"only {share:.1%} of {len(values)} gold cells are indirect"]
    return result("statements.forms", len(values), failures, f"{share:.0%} of gold cells need more than reading off")

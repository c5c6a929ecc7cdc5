"""Can every question be solved with the tools alone, and by no shortcut?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from worldgen.agents import weak
from worldgen.agents.oracle import solve
from worldgen.agents.session import Answer, Call, Session
from worldgen.proofs.files import Files
from worldgen.proofs.report import ProofResult, result
from worldgen.records import Page, Task
from worldgen.scoring import ExactJudge, ScoringTask, Table, score_widesearch, worldgen_f1
from worldgen.world import World

_FEW_TASKS = 5
_HAY_SHARE = 3
_MOST_CRAWLED = 0.5
_WORD = re.compile(r"[0-9a-z]+|[\u3400-\u9fff]")
_URL = re.compile(r"https?://[^\s)\]|]+")


def prove_solving(files: Files, world: World) -> list[ProofResult]:
    """The oracle reaches F1 1.0 on every task by fair means; each weak agent stays under its ceiling."""
    pages = dict(world.pages)
    scores: dict[str, list[float]] = defaultdict(list)
    unsolved, unfair, unofficial = [], [], []
    calls = opens = 0
    for task in world.tasks:
        session = Session(world.toolbox(withholding="strict"), task.question)
        answer = solve(task, session, pages)
        calls += len(session.calls)
        opens += session.opens
        unfair += [f"{task.instance_id}: {problem}" for problem in breaches(task, session.calls, answer, pages)]
        scored = ScoringTask.of(task)
        table = Table(answer.columns, answer.rows)
        reward = worldgen_f1(table, scored.gold, scored.spec, judge=ExactJudge())
        if reward.value != 1.0:
            why = f"reward {reward.value} ({reward.explanation}), {missing(task, answer)}"
            unsolved.append(f"{task.instance_id}: {why}")
        official = score_widesearch(answer.markdown(), scored.gold, scored.spec, judge=ExactJudge())
        if official.score != 1.0:
            unofficial.append(f"{task.instance_id}: {official.score} ({official.explanation})")
        for name, found in _weak_answers(task, world, pages, session).items():
            weak_score = worldgen_f1(Table(found.columns, found.rows), scored.gold, scored.spec, judge=ExactJudge())
            scores[name].append(weak_score.cell_f1 or 0.0)
    n = len(world.tasks)
    return [
        result("agents.oracle", n, unsolved, f"solves all {n} tasks in {calls / max(1, n):.0f} calls each"),
        result("agents.fair-play", calls, unfair, "asks only with words it was shown, opens only URLs it was shown"),
        result("questions.official-score", n, unofficial, "the oracle's answers score 1.0 officially"),
        *(_ceiling(files, name, most, scores[name], opens) for name, most in weak.WEAK_AGENTS.items()),
    ]


def _ceiling(files: Files, name: str, most: float, scores: list[float], opens: int) -> ProofResult:
    """A ceiling on a mean over tasks; where there is too little of a world to tell, the mean is told, not judged."""
    mean = sum(scores) / len(scores) if scores else 0.0
    unjudged = ""
    if len(scores) < _FEW_TASKS:
        unjudged = f"; not judged: under {_FEW_TASKS} tasks"
    elif name == "crawl" and _HAY_SHARE * files.manifest["haystack"] < len(files.pages):
        unjudged = "; not judged: the haystack is under a third of the world's pages, so a crawler cannot get lost"
    elif name == "crawl" and weak.CRAWLS * opens > _MOST_CRAWLED * len(files.pages) * len(scores):
        unjudged = "; not judged: the crawler may open over half of the world's own pages"
    over = [f"mean non-key item F1 {mean:.3f} over the ceiling {most}"] if mean > most and not unjudged else []
    detail = f"mean item F1 {mean:.3f}, ceiling {most}{unjudged}"
    return result(f"agents.{name.replace('_', '-')}", len(scores), over, detail)


def _weak_answers(task: Task, world: World, pages: Mapping[str, Page], oracle: Session) -> dict[str, Answer]:
    def session() -> Session:
        return Session(world.toolbox(withholding="strict"), task.question)

    return {
        "nothing": weak.nothing(task),
        "guess": weak.guess(task),
        "titles_only": weak.titles_only(task, session(), pages, oracle.queries),
        "best_page": weak.best_page(task, pages),
        "newest_only": weak.newest_only(task, session(), pages, oracle.queries),
        "search_only": weak.search_only(task, session(), pages, oracle.queries),
        "crawl": weak.crawl(task, session(), pages, oracle.opens),
    }


def missing(task: Task, answer: Answer) -> str:
    """What an answer lacks, for the report."""
    given = {row[0]: row for row in answer.rows}
    lost = [row[0] for row in task.rows if row[0] not in given]
    blank = [
        f"{row[0]}: {c}" for row in task.rows if row[0] in given
        for c, cell in zip(task.columns, given[row[0]], strict=True) if not cell
    ]  # fmt: skip
    return f"rows missing: {lost[:3]}, cells missing: {blank[:3]}"


def breaches(task: Task, calls: list[Call], answer: Answer, pages: Mapping[str, Page]) -> list[str]:
    """What the oracle did without having been shown it: judged from the calls alone."""
    problems = []
    seen_words = set(_WORD.findall(task.question.lower()))
    seen_urls: set[str] = set()
    for call in calls:
        if call.tool == "web_search":
            foreign = set(_WORD.findall(str(call.arguments["query"]).lower())) - seen_words
            if foreign:
                problems.append(f"asks with words it was not shown: {sorted(foreign)[:5]}")
        elif call.tool == "web_extractor":
            if call.arguments["url"] not in seen_urls:
                problems.append(f"opens {call.arguments['url']}, which it was not shown")
        else:
            problems.append(f"uses {call.tool}")
        seen_words.update(_WORD.findall(call.observation.lower()))
        seen_urls.update(url.rstrip(".,;") for url in _URL.findall(call.observation))
    return problems + _unseen(task, calls, answer, pages)


def _unseen(task: Task, calls: list[Call], answer: Answer, pages: Mapping[str, Page]) -> list[str]:
    """Cells written although no observation holds a sentence that states each fact they rest on."""
    opened: dict[str, str] = defaultdict(str)
    for call in calls:
        if call.tool == "web_extractor":
            opened[str(call.arguments["url"])] += f"{call.observation}\n"
    everything = "\n".join(call.observation for call in calls)
    facts: dict[tuple[int, str], dict[str, bool]] = defaultdict(dict)
    for e in task.evidence:
        sentence = pages[e.url].body[e.start : e.end] if e.url in pages else "\0"
        told = facts[e.row, e.column]
        told[e.fact] = told.get(e.fact, False) or sentence in opened.get(e.url, "")
    written = {row[0]: row for row in answer.rows}
    problems = []
    for number, row in enumerate(task.rows):
        if row[0] in written and row[0] not in everything:
            problems.append(f"writes the key {row[0]!r}, which it was not shown")
        for column, cell in zip(task.columns, written.get(row[0], ()), strict=False):
            unseen = [fact for fact, seen in facts[number, column].items() if not seen]
            if cell and unseen:
                problems.append(f"writes {column} of {row[0]!r} without having read {unseen[:2]}")
    return problems

"""Leaves out publishers, adds others, and lets some change places in trust."""

from __future__ import annotations

from worldgen.schema.context import Context
from worldgen.schema.problems import Report
from worldgen.schema.publishing import check_publishing
from worldgen.seeds import Stream
from worldgen.variation.data import read
from worldgen.variation.drawing import whole
from worldgen.variation.outline import Outline, Plain

_LEAST_SITES = 5


def publish(outline: Outline, rng: Stream) -> None:
    """Change who publishes."""
    plan = read("plan")["publish"]
    sites: list[Plain] = outline.plain["sites"]
    hosts = {site["host"] for site in sites}
    for site in rng.sample(read("sites"), whole(plan["add"], rng)):
        if site["host"] not in hosts:
            sites.append({**site, "languages": _languages(outline, site)})
            outline.changes.append(f"with the site {site['host']}")
    for site in rng.sample([site for site in sites if site["host"] in hosts], whole(plan["drop"], rng)):
        if len(sites) > _LEAST_SITES and _covered(outline, site):
            sites.remove(site)
            outline.changes.append(f"without the site {site['host']}")
    if rng.chance(plan["trust"]):
        _swap(outline, [site for site in sites if site.get("trust", "medium") != "high"], rng)


def _covered(outline: Outline, without: Plain) -> bool:
    """Whether the other sites write about everything."""
    trial = outline.copy()
    trial.plain["sites"].remove(without)
    context = Context.of(trial.schema(), Report())
    check_publishing(context)
    return not context.report.problems


def _swap(outline: Outline, sites: list[Plain], rng: Stream) -> None:
    """Let a site of medium and one of low trust change places."""
    low = [site for site in sites if site.get("trust") == "low"]
    medium = [site for site in sites if site.get("trust") != "low" and "list" not in site["genres"]]
    if low and medium:
        risen, fallen = rng.choice(low), rng.choice(medium)
        risen["trust"], fallen["trust"] = "medium", "low"
        outline.changes.append(f"{risen['host']} is trusted more, {fallen['host']} less")


def _languages(outline: Outline, site: Plain) -> list[str]:
    used = {language for one in outline.plain["sites"] for language in one.get("languages", ["en"])}
    return [language for language in site["languages"] if language in used]

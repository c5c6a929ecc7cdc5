"""Who writes about what, and what is asked: sites and tasks."""

from __future__ import annotations

from worldgen.schema.context import PLACEHOLDER, Context
from worldgen.schema.model import Site, Subject
from worldgen.schema.problems import Path

_TELLING = frozenset({"encyclopedia", "organisation"})
_LISTING = frozenset({"list", "ranking", "statistics", "news"})


def check_publishing(context: Context) -> None:
    """Report sites that leave a table unwritten, and subjects that cannot be asked."""
    _check_sites(context)
    _check_coverage(context)
    for name, subject in context.schema.tasks.subjects.items():
        _check_subject(context, name, subject, ("tasks", "subjects", name))


def _check_sites(context: Context) -> None:
    report, hosts = context.report, dict[str, int]()
    for position, site in enumerate(context.schema.sites):
        at: Path = ("sites", position)
        first = hosts.setdefault(site.host, position)
        if first != position:
            report.add("duplicate-host", "two sites have one host", (*at, "host"), got=site.host)
        for index, table in enumerate(site.about or ()):
            if table not in context.layout:
                report.unknown("table", table, context.layout, (*at, "about", index))
        for language in site.languages:
            if language not in site.name:
                report.add(
                    "missing-text", f"no name in {language}", (*at, "name"), expected=f"a text under `{language}:`"
                )
        for language, text in site.name.items():
            for word in PLACEHOLDER.findall(text):
                if word != "scope":
                    report.unknown("placeholder", word, ["scope"], (*at, "name", language))
    if not any(site.trust == "high" for site in context.schema.sites):
        report.add("uncovered", "no site is trusted", ("sites",), expected="a site with `trust: high`")
    if not any("list" in site.genres for site in context.schema.sites):
        report.add("uncovered", "no site publishes lists", ("sites",), expected="a site with the genre `list`")


def _check_coverage(context: Context) -> None:
    """Each table is written about in each language: named things by articles, other rows at least in tables."""
    for table, fields in context.layout.items():
        genres = _TELLING if "name" in fields else _TELLING | _LISTING
        for language in context.languages:
            allowed = genres if language in context.schema.languages else genres | _LISTING
            if not any(_writes(site, table, language, allowed) for site in context.schema.sites):
                context.report.add(
                    "uncovered",
                    f"no site writes about `{table}` in {language}",
                    ("sites",),
                    expected=f"a site with one of the genres {', '.join(sorted(allowed))}",
                )


def _writes(site: Site, table: str, language: str, genres: frozenset[str]) -> bool:
    about = site.about is None or table in site.about
    return about and language in site.languages and bool(genres & set(site.genres))


def _check_subject(context: Context, table: str, subject: Subject, at: Path) -> None:
    report = context.report
    if table not in context.layout:
        report.unknown("table", table, context.layout, at)
        return
    for key in ("columns", "where"):
        for position, path in enumerate(getattr(subject, key) or ()):
            _check_asked(context, table, path, (*at, key, position))
    if subject.reasons:
        for language in context.schema.languages:
            if not subject.reasons.get(language):
                report.add("missing-text", f"no reasons in {language}", (*at, "reasons"), expected="sentences")


def _check_asked(context: Context, table: str, path: str, at: Path) -> None:
    *refs, last = path.split(".")
    owner = table
    if refs:
        field = context.end(table, ".".join(refs), at)
        if field is None:
            return
        owner = field.target or table
    series = context.schema.series.get(last)
    if series is not None and series.of == owner and (not refs or field_is_ref(context, table, refs)):
        return
    end = context.end(table, path, at)
    if end is not None and end.attribute is not None and end.attribute.hidden:
        context.report.add("hidden", f"`{path}` is hidden", at, expected="an attribute that is stated")


def field_is_ref(context: Context, table: str, refs: list[str]) -> bool:
    """Whether a path of refs ends in a ref."""
    for word in refs:
        field = context.field(table, word)
        if field is None or field.kind != "ref" or field.target is None:
            return False
        table = field.target
    return True

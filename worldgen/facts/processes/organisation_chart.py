"""Organisation charts: posts in a tree, the people who have held them one after another, grades and salaries.

The posts are made first, department by department and level by level; people come into them afterwards. Whoever leaves
is followed by somebody from the level below, whose post falls vacant in turn, or by somebody new: every departure ends
in one new hire, so posts and departures add up to the people wanted.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.derived import largest_remainder
from worldgen.facts.distributions import noise_factor
from worldgen.facts.processes.process import Given, Process, Produced, View, int_column, processes
from worldgen.schema import elementary
from worldgen.seeds import Stream

Ints = NDArray[np.int64]

_EPOCH = dt.date(1970, 1, 1)
_SETTLED = 90
"""Days that somebody holds a post at least."""
_SIZE_SPREAD = 0.5
_SAME_GRADE, _NEXT_GRADE = 0.7, 0.95
_BAND = 1.4
_TRIES = 12
_GROWTH = 0.6


class OrganisationGiven(Given):
    """Parameters of an organisation chart."""

    employees: str = Field(description="The entity of people; its count includes those who have left.")
    departments: str = Field(description="The entity of departments; the first is the head's own.")
    posts: str | None = Field(default=None, description="The entity that `post` fills; `post` and `term` need it.")
    years: tuple[int, int] = Field(description="The year it was founded, and the one at whose end things stand so.")
    span: tuple[int, int] = Field(
        default=(3, 8),
        description="Least and most who report to a manager; the head and one in each department may have fewer.",
    )
    leading: float = Field(default=0.5, ge=0, le=1, description="Share of a level that leads others.")
    former: float = Field(default=0.2, ge=0, le=0.9, description="Share of the people who have left.")
    promoted: float = Field(default=0.5, ge=0, le=1, description="Chance that a direct report comes after a manager.")
    grades: int | None = Field(default=None, ge=1, le=100, description="Grades, 1 the lowest; else levels and one.")
    salary: tuple[int, int] = Field(default=(30000, 180000), description="Least of the lowest grade, most of the top.")
    step: int = Field(default=100, ge=1, description="Salaries are multiples of this.")


@processes.register("organisation_chart")
class OrganisationChart(Process):
    """Posts, people and departments of an organisation that agree, filling entities of people and departments.

    One person heads it. A department is a part of the tree under its lead, who reports to the head; the first
    department is the head and those without another. A manager's grade is above that of every report. `manager`,
    `department`, `grade` and `salary` of people who have left are their last ones, and nobody reports to them. Terms of
    a post follow one another from day to day; those that last end with the last day told.
    """

    name: ClassVar[str] = "organisation_chart"
    parameters: ClassVar[type[Given]] = OrganisationGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "employee": {
            "manager": "ref:employees", "department": "ref:departments", "post": "ref:posts", "level": "integer",
            "grade": "integer", "salary": "money", "hired": "date", "employed": "boolean", "reports": "integer",
            "staff": "integer", "posts_held": "integer",
        },
        "post": {
            "number": "integer", "superior": "ref:posts", "department": "ref:departments", "holder": "ref:employees",
            "level": "integer", "grade": "integer", "opened": "date", "holders": "integer", "reports": "integer",
            "staff": "integer",
        },
        "term": {
            "post": "ref:posts", "employee": "ref:employees", "number": "integer", "since": "date", "until": "date",
            "lasting": "boolean",
        },
        "departure": {"employee": "ref:employees", "date": "date"},
        "department": {"lead": "ref:employees", "headcount": "integer", "payroll": "money"},
        "band": {"grade": "integer", "least": "money", "most": "money", "headcount": "integer"},
    }  # fmt: skip

    def needs(self, given: OrganisationGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """How many people and departments there are."""
        return {given.employees: [], given.departments: []}

    def run(self, given: OrganisationGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Found it, fill its posts, and let the years pass."""
        people, departments = view.size(given.employees), view.size(given.departments)
        _check(given, fills, people, departments)
        leavers = round(people * given.former)
        chart = _Chart(given, people - leavers, departments, rng)
        staffing = _Staffing(given, chart, rng)
        staffing.pass_years(leavers)
        return _tables(given, chart, staffing, rng)


def _check(given: OrganisationGiven, fills: Mapping[str, str], people: int, departments: int) -> None:
    for name, (low, high) in (("years", given.years), ("span", given.span), ("salary", given.salary)):
        if high < low or (name != "years" and low < 1):
            expected = "[first, last]" if name == "years" else "[least, most], from 1 on"
            raise _wrong(name, expected, f"[{low}, {high}]", "swap them, or raise the least")
    if given.posts is None and ("post" in fills or "term" in fills):
        raise _wrong("posts", "the entity that `post` fills", "none", "name it")
    if people < 2 or departments < 1:
        raise GenerationError(
            "facts.organisation", f"organisation of {given.employees}", expected="two people or more, and a department",
            got=f"{people} and {departments}",
        )  # fmt: skip
    posts = people - round(people * given.former)
    if departments > posts:
        raise GenerationError(
            "facts.organisation", f"organisation of {given.employees}", expected=f"a post for each {given.departments}",
            got=f"{posts} posts and {departments}", fix="raise the count of people, or lower former",
        )  # fmt: skip
    if departments - 1 > given.span[1]:
        got = f"{departments - 1} besides the head's own"
        raise _wrong("span", f"departments that one head can lead: {given.span[1]}", got, "raise the span's most")


def _wrong(what: str, expected: str, got: str, fix: str) -> SchemaError:
    return SchemaError("schema.process-parameter", f"organisation_chart: {what}", expected=expected, got=got, fix=fix)


class _Chart:
    """The posts: columns of one length, each post after its superior."""

    def __init__(self, given: OrganisationGiven, posts: int, departments: int, rng: Stream) -> None:
        self.given, self.rng = given, rng
        self.superior = np.full(posts, -1, dtype=np.int64)
        self.department = np.zeros(posts, dtype=np.int64)
        self.leads = np.zeros(departments, dtype=np.int64)
        self._grow(posts, departments)
        self.levels = _levels(self.superior)
        self.level = np.zeros(posts, dtype=np.int64)
        self.height, self.staff = np.zeros(posts, dtype=np.int64), np.zeros(posts, dtype=np.int64)
        for number, rows in enumerate(self.levels):
            self.level[rows] = number
        for rows in self.levels[:0:-1]:
            np.maximum.at(self.height, self.superior[rows], self.height[rows] + 1)
            np.add.at(self.staff, self.superior[rows], self.staff[rows] + 1)
        self.reports = np.bincount(self.superior[1:], minlength=posts).astype(np.int64)
        self.grades = self._grades()
        self.grade = self._graded()
        self.first = (dt.date(given.years[0], 1, 1) - _EPOCH).days
        self.last = (dt.date(given.years[1], 12, 31) - _EPOCH).days
        self.opened = self._opened()

    def _grow(self, posts: int, departments: int) -> None:
        if departments == 1:
            self._branch(0, 0, 1, posts)
            return
        aides = self.rng.integer(min(self.given.span[1] - departments + 1, posts - departments) + 1)
        self.superior[1 : aides + 1] = 0
        weights = noise_factor(departments - 1, _SIZE_SPREAD, self.rng)
        one_group = np.zeros(departments - 1, dtype=np.int64)
        sizes = largest_remainder(weights, posts - aides - departments, one_group) + 1
        at = aides + 1
        for department, size in enumerate(sizes.tolist(), 1):
            self.superior[at], self.leads[department] = 0, at
            self._branch(department, at, at + 1, at + size)
            at += size

    def _branch(self, department: int, lead: int, at: int, end: int) -> None:
        """Fill the posts from one to another level by level under a lead."""
        least, most = self.given.span
        self.department[lead:end] = department
        front = np.array([lead])
        while at < end:
            leading = front[self.rng.unit(len(front)) < self.given.leading]
            leading = leading if len(leading) else front[self.rng.permutation(len(front))[:1]]
            under = np.repeat(leading, least + self.rng.below(len(leading), most - least + 1))[: end - at]
            self.superior[at : at + len(under)] = under
            front = np.arange(at, at + len(under))
            at += len(under)

    def _grades(self) -> int:
        needed = int(self.height[0]) + 1
        if self.given.grades is None:
            return needed + 1
        if self.given.grades < needed:
            raise _wrong("grades", f"at least {needed}, one for each level", str(self.given.grades), "widen the span")
        return self.given.grades

    def _graded(self) -> Ints:
        """Each below its superior, with room left for all under it."""
        grade = np.full(len(self.superior), self.grades, dtype=np.int64)
        for rows in self.levels[1:]:
            drawn = self.rng.unit(len(rows))
            drop = (drawn >= _SAME_GRADE) * 1 + (drawn >= _NEXT_GRADE) * 1
            top = grade[self.superior[rows]] - 1
            grade[rows] = top - np.minimum(drop, top - self.height[rows] - 1)
        return grade

    def _opened(self) -> Ints:
        """Days on which posts were opened, none before its superior."""
        opened = np.full(len(self.superior), self.first, dtype=np.int64)
        for rows in self.levels[1:]:
            above = opened[self.superior[rows]]
            drawn = self.rng.unit(len(rows))
            opened[rows] = above + np.floor(drawn * drawn * _GROWTH * (self.last - above)).astype(np.int64)
        return opened


def _levels(superior: Ints) -> list[Ints]:
    """The posts of each level, from the head down."""
    order = np.argsort(superior, kind="stable")
    starts = np.searchsorted(superior[order], np.arange(len(superior) + 1))
    found = [np.zeros(1, dtype=np.int64)]
    while True:
        above = found[-1]
        counts = starts[above + 1] - starts[above]
        if counts.sum() == 0:
            return found
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        found.append(order[np.repeat(starts[above], counts) + offsets])


class _Staffing:
    """Who holds each post, and who held it before. People are numbered as they are hired."""

    def __init__(self, given: OrganisationGiven, chart: _Chart, rng: Stream) -> None:
        self.given, self.chart, self.rng = given, chart, rng
        self.holder = list(range(len(chart.superior)))
        self.since: list[int] = chart.opened.tolist()
        self.superior: list[int] = chart.superior.tolist()
        self.hired = list(self.since)
        self.terms: list[tuple[int, int, int, int]] = []
        self.left: dict[int, tuple[int, int, int]] = {}
        self.below: list[list[int]] = [[] for _ in self.superior]
        for post, above in enumerate(self.superior[1:], 1):
            self.below[above].append(post)

    def pass_years(self, leavers: int) -> None:
        """Let so many people leave, in the order of days; who has just come to a post stays a while."""
        low, last = self.chart.opened + _SETTLED, self.chart.last
        open_ = np.flatnonzero(low < last)
        if leavers == 0:
            return
        if len(open_) == 0:
            raise self._crowded(leavers)
        posts = open_[self.rng.below(leavers, len(open_))]
        days = low[posts] + np.floor(self.rng.unit(leavers) * (last - low[posts])).astype(np.int64)
        waiting = list(zip(days.tolist(), range(leavers), posts.tolist(), strict=True))
        heapq.heapify(waiting)
        while waiting:
            day, number, post = heapq.heappop(waiting)
            chosen = self._ready(post, day, open_)
            if chosen is not None:
                self._leave(chosen, day)
            elif day + _SETTLED < last:
                heapq.heappush(waiting, (day + _SETTLED, number, post))
            else:
                raise self._crowded(len(waiting) + 1)

    def _crowded(self, left: int) -> GenerationError:
        return GenerationError(
            "facts.organisation", f"organisation of {self.given.employees}: {left} could not have left any more",
            expected=f"terms of {_SETTLED} days or more", got=f"years: {list(self.given.years)}",
            fix="lower former, or give more years",
        )  # fmt: skip

    def _ready(self, post: int, day: int, open_: Ints) -> int | None:
        """The post, or another whose holder may leave on that day."""
        if self.since[post] + _SETTLED <= day:
            return post
        others = open_[self.rng.below(_TRIES, len(open_))].tolist()
        return next((other for other in others if self.since[other] + _SETTLED <= day), None)

    def _leave(self, post: int, day: int) -> None:
        above = self.superior[post]
        self.left[self.holder[post]] = (day, post, self.holder[above] if above >= 0 else -1)
        while True:
            self.terms.append((post, self.holder[post], self.since[post], day))
            self.since[post] = day + 1
            ready = [other for other in self.below[post] if self.since[other] + _SETTLED <= day]
            if not ready or not self.rng.chance(self.given.promoted):
                break
            next_ = self.rng.choice(ready)
            self.holder[post] = self.holder[next_]
            post = next_
        self.holder[post] = len(self.hired)
        self.hired.append(day + 1)


def _tables(given: OrganisationGiven, chart: _Chart, staffing: _Staffing, rng: Stream) -> Produced:
    people = len(staffing.hired)
    # Who is who is drawn, so that the number of a person tells nothing.
    who = rng.permutation(people)
    holder, manager = int_column(staffing.holder), np.full(people, -1, dtype=np.int64)
    post = np.full(people, -1, dtype=np.int64)
    post[holder] = np.arange(len(holder))
    manager[holder[1:]] = holder[chart.superior[1:]]
    employed = post >= 0
    for person, (_, last, above) in staffing.left.items():
        post[person], manager[person] = last, above
    bands = _bands(given, chart.grades)
    room = (bands["most"] - bands["least"])[chart.grade[post] - 1] // given.step + 1
    salary = bands["least"][chart.grade[post] - 1] + np.floor(rng.unit(people) * room).astype(np.int64) * given.step
    terms = _terms(chart, staffing)
    held = np.bincount(terms["employee"], minlength=people)
    employee = {
        "manager": np.where(manager >= 0, who[manager], -1), "department": chart.department[post], "post": post,
        "level": chart.level[post], "grade": chart.grade[post], "salary": salary,
        "hired": int_column(staffing.hired), "employed": employed * 1,
        "reports": np.where(employed, chart.reports[post], 0), "staff": np.where(employed, chart.staff[post], 0),
        "posts_held": held,
    }  # fmt: skip
    order = np.argsort(who)
    gone = sorted(staffing.left)
    terms["employee"] = who[terms["employee"]]
    bands["headcount"] = np.bincount(chart.grade - 1, minlength=chart.grades)
    made: Produced = {
        "employee": {column: values[order] for column, values in employee.items()},
        "departure": {"employee": who[gone], "date": int_column([staffing.left[person][0] for person in gone])},
        "department": {"lead": who[holder[chart.leads]], **_departments(chart, salary[holder])}, "band": bands,
    }  # fmt: skip
    if given.posts is None:
        del made["employee"]["post"]
        return made
    return made | {"post": _posts(chart, who[holder], terms), "term": terms}


def _departments(chart: _Chart, salary: Ints) -> dict[str, NDArray[Any]]:
    """People and pay of each department, from the salary of each post's holder."""
    departments = len(chart.leads)
    payroll = np.zeros(departments, dtype=np.int64)
    np.add.at(payroll, chart.department, salary)
    return {"headcount": np.bincount(chart.department, minlength=departments), "payroll": payroll}


def _bands(given: OrganisationGiven, grades: int) -> dict[str, NDArray[Any]]:
    """The least and the greatest salary of each grade; neighbouring bands overlap, and rise by one factor."""
    low, high = given.salary
    width = min(_BAND, high / low)
    factor = elementary.power(high / low / width, 1 / max(grades - 1, 1))
    least = low * elementary.power(factor, np.arange(grades, dtype=np.float64))
    steps = np.rint(least / given.step).astype(np.int64)
    wide = np.rint(least * width / given.step).astype(np.int64)
    return {"grade": np.arange(1, grades + 1), "least": steps * given.step, "most": wide * given.step}


def _terms(chart: _Chart, staffing: _Staffing) -> dict[str, NDArray[Any]]:
    """All terms, post by post in the order of days."""
    now = zip(range(len(staffing.holder)), staffing.holder, staffing.since, strict=True)
    rows = [*((*term, 0) for term in staffing.terms), *((*term, chart.last, 1) for term in now)]
    columns = int_column(rows).T
    post, employee, since, until, lasting = columns[:, np.lexsort((columns[2], columns[0]))]
    starts = np.searchsorted(post, np.arange(len(staffing.holder)))
    number = np.arange(len(post)) - starts[post] + 1
    return {
        "post": post, "employee": employee, "number": number, "since": since, "until": until, "lasting": lasting,
    }  # fmt: skip


def _posts(chart: _Chart, holder: Ints, terms: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    order = np.argsort(chart.department, kind="stable")
    starts = np.searchsorted(chart.department[order], chart.department)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return {
        "number": number - starts + 1, "superior": chart.superior, "department": chart.department, "holder": holder,
        "level": chart.level, "grade": chart.grade, "opened": chart.opened,
        "holders": np.bincount(terms["post"], minlength=len(order)), "reports": chart.reports, "staff": chart.staff,
    }  # fmt: skip

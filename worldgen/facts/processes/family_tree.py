"""Family trees: people over generations with their marriages, children, adoptions, divorces and deaths.

The time before the present is lived through year by year, for all people at once. Whoever takes part in an event of a
year lives to its end, and whose marriage ends in one marries again no earlier than the next but one, so no two events
contradict each other. The last year is the one in which the people wanted have all been there; it becomes the present.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.lifetimes import days_of_death, life_table, years_between
from worldgen.facts.processes.process import Given, Process, Produced, View, processes
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_EPOCH = dt.date(1970, 1, 1)
_YEAR = 365
_PATIENCE = 25
"""Years in which people have to become a quarter more; otherwise others settle."""
_ADULT = 18
_COURTING = ((_ADULT, 40, 0.16), (40, 60, 0.03))
"""From an age, to an age: the chance of courting in a year."""
_GAP = 15 * _YEAR
_FERTILE, _LAST_CHILD, _OLDEST_FATHER = 30, 45, 60
_BETWEEN_BIRTHS = 300
_CHILDREN_PER_CHANCE = 15.0
"""Children of a lasting marriage if a young wife had one each year: found by trial, births keeping their distance."""
_ORPHANED = 15
_TAKEN_IN = 0.4
_FEMALE = 0.488


class FamilyGiven(Given):
    """Parameters of a family tree."""

    people: str = Field(description="The entity of people; its count says how many there are, dead and alive.")
    present: int = Field(ge=1000, le=9000, description="The last year in which anything happens.")
    founders: int | None = Field(
        default=None, ge=2, description="People with whom it begins, their parents unknown; by default a hundredth."
    )
    children: float = Field(default=3.0, ge=0.5, le=8, description="About how many a marriage that lasts has.")
    outside: float = Field(default=0.3, ge=0, le=1, description="Share of those who court who look elsewhere.")
    divorce: float = Field(default=0.006, ge=0, le=0.2, description="Yearly chance that a marriage is dissolved.")
    adopted: float = Field(default=0.02, ge=0, le=0.5, description="Children adopted from elsewhere, per birth.")
    lifespan: float = Field(default=78, ge=45, le=95, description="The age at which most adults die.")
    infant_deaths: float = Field(default=0.05, ge=0, le=0.5, description="Share of children who die before five.")
    surnames: str | None = Field(default=None, description="The entity of surnames, if they are wanted.")
    surname: Literal["father", "mother"] = Field(
        default="father", description="From whom a child has it, if adopted from the adoptive one; it is for life."
    )


@processes.register("family_tree")
class FamilyTree(Process):
    """People with parents, spouses, adoptive parents and dates that agree, filling an entity with a count.

    `father` and `mother` are the birth parents; founders, people who married in and children adopted from elsewhere
    have none; founders come again where too few are born. A child's generation is one more than the greatest of all its
    parents', a spouse from elsewhere has the partner's. Nobody marries a parent, child, sibling, half-sibling, aunt,
    uncle or first cousin, by birth or adoption.
    `marriage` has all marriages, `marriage_end` those that ended by divorce or death.
    """

    name: ClassVar[str] = "family_tree"
    parameters: ClassVar[type[Given]] = FamilyGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "person": {
            "female": "boolean", "born": "date", "living": "boolean", "generation": "integer", "father": "ref:people",
            "mother": "ref:people", "adoptive_father": "ref:people", "adoptive_mother": "ref:people",
            "adopted": "boolean", "spouse": "ref:people", "marriages": "integer", "children": "integer",
            "siblings": "integer", "half_siblings": "integer", "surname": "ref:surnames",
        },
        "marriage": {
            "husband": "ref:people", "wife": "ref:people", "date": "date", "lasting": "boolean", "divorced": "boolean",
            "children": "integer",
        },
        "marriage_end": {
            "husband": "ref:people", "wife": "ref:people", "date": "date", "ended": "date", "divorced": "boolean",
            "years": "integer",
        },
        "death": {"person": "ref:people", "date": "date", "age": "integer"},
        "adoption": {
            "child": "ref:people", "father": "ref:people", "mother": "ref:people", "date": "date", "age": "integer",
        },
    }  # fmt: skip

    def needs(self, given: FamilyGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """How many people and surnames there are."""
        return {entity: [] for entity in (given.people, given.surnames) if entity is not None}

    def run(self, given: FamilyGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Live through the years."""
        size = view.size(given.people)
        names = view.size(given.surnames) if given.surnames is not None else 1
        if size < 2 or names < 1:
            where, got = f"family tree of {given.people}", f"{size} and {names}"
            raise GenerationError("facts.family", where, expected="two people or more, and a surname", got=got)
        founders = given.founders if given.founders is not None else max(2, size // 100)
        if founders > size:
            raise SchemaError(
                "schema.process-parameter", "family_tree: founders", expected=f"at most the {size} {given.people}",
                got=str(founders), fix="lower it, or raise the count",
            )  # fmt: skip
        history = _History(given, size, names, rng)
        history.settle(founders)
        history.before = founders
        while history.count < size:
            history.live_a_year()
        return _tables(history, given)


_SIDES = ("husband", "wife")
_PARENTS = ("father", "mother", "adoptive_father", "adoptive_mother")
_KEPT = ("female", "generation", *_PARENTS, "marriages")
_REMEMBERED = (*_KEPT, "born", "died", "adopted", "surname", "bond", "birth_bond", "free", "last_birth")


class _History:
    """Everybody so far, and the year that is being lived. Days count from the first of January of the year 0."""

    def __init__(self, given: FamilyGiven, size: int, names: int, rng: Stream) -> None:
        self.given, self.size, self.names, self.rng = given, size, names, rng
        self.table = life_table(given.lifespan, given.infant_deaths)
        self.count = self.year = self.before = 0
        self.person: dict[str, Ints] = {column: np.full(size, -1, dtype=np.int64) for column in _REMEMBERED}
        self.person["marriages"][:] = 0
        self.person["last_birth"][:] = -(10**7)
        self.marriage: dict[str, Ints] = {
            column: np.zeros(0, dtype=np.int64) for column in ("husband", "wife", "date", "ended", "divorced")
        }

    @property
    def first_day(self) -> int:
        """The first day of the year."""
        return self.year * _YEAR

    @property
    def last_day(self) -> int:
        """The last day of the year."""
        return self.first_day + _YEAR - 1

    def col(self, name: str) -> Ints:
        """A column of the people so far."""
        return self.person[name][: self.count]

    def staying(self, rows: Ints) -> Bools:
        """Who of them lives through this year."""
        return np.asarray(self.person["died"][rows] > self.last_day)

    def age(self, rows: Ints) -> Ints:
        """Their ages on the first day of the year."""
        return np.asarray((self.first_day - self.person["born"][rows]) // _YEAR)

    def day(self, n: int) -> Ints:
        """Days of this year."""
        return self.first_day + self.rng.below(n, _YEAR)

    def add(self, born: Ints, **columns: Ints) -> Ints:
        """New people, as many as there is room for; those born earlier live through this year."""
        rows = np.arange(self.count, min(self.size, self.count + len(born)))
        born = born[: len(rows)]
        least = np.where(born < self.first_day, (self.last_day - born) // _YEAR + 1, 0)
        new = {"born": born, "died": days_of_death(self.table, born, least, self.rng)}
        new["surname"] = self.rng.below(len(rows), self.names)
        for column, values in {"generation": np.zeros(len(rows), dtype=np.int64), **new, **columns}.items():
            self.person[column][rows] = values[: len(rows)]
        self.count += len(rows)
        return rows

    def settle(self, number: int) -> None:
        """People without known parents, young adults, as many women as men."""
        born = self.first_day - (_ADULT + 1) * _YEAR - self.rng.below(number, 13 * _YEAR)
        self.add(born, female=np.arange(number, dtype=np.int64) % 2)

    def live_a_year(self) -> None:
        """Everything that happens in a year, then the next one begins."""
        self._part()
        self._wed()
        births = self._bear()
        self._adopt(births)
        if self.year % _PATIENCE == _PATIENCE - 1:
            self.settle(max(self.before + max(2, self.before // 4) - self.count, 0))
            self.before = self.count
        if self.count < self.size:
            self.year += 1

    def _couples(self) -> Ints:
        """The marriages that last."""
        return np.flatnonzero(self.marriage["ended"] < 0)

    def _end(self, which: Ints, day: Ints) -> None:
        self.marriage["ended"][which] = day
        for side in _SIDES:
            rows = self.marriage[side][which]
            self.person["bond"][rows] = -1
            self.person["free"][rows] = self.year + 1

    def bury(self, until: int) -> None:
        """End the marriages of those who died before a day."""
        open_ = self._couples()
        died = np.minimum(*(self.person["died"][self.marriage[side][open_]] for side in _SIDES))
        self._end(open_[died < until], died[died < until])

    def _part(self) -> None:
        """Marriages end: by the deaths of last year, and by divorce."""
        self.bury(self.first_day)
        open_ = self._couples()
        both = self.staying(self.marriage["husband"][open_]) & self.staying(self.marriage["wife"][open_])
        settled = self.marriage["date"][open_] < self.first_day - _YEAR
        parted = open_[both & settled & (self.rng.unit(len(open_)) < self.given.divorce)]
        self.marriage["divorced"][parted] = 1
        self._end(parted, self.day(len(parted)))

    def _wed(self) -> None:
        rows = np.flatnonzero((self.col("bond") < 0) & (self.col("free") <= self.year))
        rows = rows[self.staying(rows)]
        age, chance = self.age(rows), np.zeros(len(rows))
        for least, most, likely in _COURTING:
            chance[(age >= least) & (age < most)] = likely
        rows = rows[self.rng.unit(len(rows)) < chance]
        away = self.rng.unit(len(rows)) < self.given.outside
        one, two = self._matched(rows[~away])
        self._marry(one, two)
        # Who finds nobody here may yet look elsewhere, at the same rate.
        alone = np.setdiff1d(rows[~away], np.concatenate((one, two)))
        alone = alone[self.rng.unit(len(alone)) < self.given.outside]
        self._marry_away(np.sort(np.concatenate((rows[away], alone))))

    def _matched(self, rows: Ints) -> tuple[Ints, Ints]:
        """Pairs of about the same age, the men a little older, neither close kin nor once married to each other."""
        sides = []
        for female in (0, 1):
            own = rows[self.person["female"][rows] == female]
            key = self.person["born"][own] + self.rng.below(len(own), 6 * _YEAR) - female * 2 * _YEAR
            sides.append((own, key))
        least = min(len(own) for own, _ in sides)
        chosen = []
        for own, key in sides:
            some = self.rng.permutation(len(own))[:least]
            chosen.append(own[some][np.argsort(key[some], kind="stable")])
        one, two = chosen
        fits = np.abs(self.person["born"][one] - self.person["born"][two]) <= _GAP
        fits &= ~self._kin(one, two)
        former = self.marriage["husband"] * self.size + self.marriage["wife"]
        fits &= ~np.isin(one * self.size + two, former)
        return one[fits], two[fits]

    def _kin(self, one: Ints, two: Ints) -> Bools:
        """Which pairs share a parent or grandparent, or one of them is the other's."""
        first, second = self._forebears(one), self._forebears(two)
        alike = (first[:, :, None] == second[:, None, :]) & (first >= 0)[:, :, None]
        return np.asarray(alike.any(axis=(1, 2)))

    def _forebears(self, rows: Ints) -> Ints:
        """Themselves, parents and grandparents, by birth and by adoption: shape (rows, 21), -1 where unknown."""
        found = [rows[:, None]]
        for _ in range(2):
            last = found[-1]
            parents = [np.where(last < 0, -1, self.person[side][last]) for side in _PARENTS]
            found.append(np.concatenate(parents, axis=1))
        return np.concatenate(found, axis=1)

    def _marry(self, husband: Ints, wife: Ints) -> None:
        new = {"husband": husband, "wife": wife, "date": self.day(len(husband))}
        new |= {"ended": np.full(len(husband), -1), "divorced": np.zeros(len(husband), dtype=np.int64)}
        bond = np.arange(len(husband)) + len(self.marriage["date"])
        self.marriage = {column: np.concatenate((values, new[column])) for column, values in self.marriage.items()}
        for rows in (husband, wife):
            self.person["bond"][rows] = bond
            self.person["marriages"][rows] += 1

    def _marry_away(self, rows: Ints) -> None:
        rows = rows[: self.size - self.count]
        female = 1 - self.person["female"][rows]
        born = self.person["born"][rows] + self.rng.below(len(rows), 6 * _YEAR) + (2 * female - 3) * 2 * _YEAR
        born = np.minimum(born + _YEAR, self.first_day - _ADULT * _YEAR - 1)
        new = self.add(born, female=female, generation=self.person["generation"][rows])
        self._marry(np.where(female == 0, new, rows), np.where(female == 0, rows, new))

    def _bear(self) -> int:
        """Children of this year; the number of them."""
        open_ = self._couples()
        open_ = open_[self.marriage["date"][open_] < self.first_day]
        father, mother = self.marriage["husband"][open_], self.marriage["wife"][open_]
        age = self.age(mother)
        likely = np.minimum(np.maximum((_LAST_CHILD - age) / (_LAST_CHILD - _FERTILE), 0.0), 1.0)
        day = self.day(len(open_))
        born = self.rng.unit(len(open_)) < likely * min(self.given.children / _CHILDREN_PER_CHANCE, 1.0)
        born &= self.staying(father) & self.staying(mother) & (self.age(father) < _OLDEST_FATHER)
        born &= day >= self.person["last_birth"][mother] + _BETWEEN_BIRTHS
        born[np.flatnonzero(born)[self.size - self.count :]] = False
        father, mother, day = father[born], mother[born], day[born]
        self.person["last_birth"][mother] = day
        heir = father if self.given.surname == "father" else mother
        self.add(
            day, female=(self.rng.unit(len(day)) < _FEMALE).astype(np.int64), father=father, mother=mother,
            birth_bond=open_[born], surname=self.person["surname"][heir],
            generation=np.maximum(self.person["generation"][father], self.person["generation"][mother]) + 1,
        )  # fmt: skip
        return len(day)

    def _adopt(self, births: int) -> None:
        """Orphans find new parents here, and children come from elsewhere."""
        away = int((self.rng.unit(births) < self.given.adopted).sum())
        couples = self._couples()
        husband, wife = self.marriage["husband"][couples], self.marriage["wife"][couples]
        able = self.staying(husband) & self.staying(wife) & (np.maximum(self.age(husband), self.age(wife)) < 55)
        couples = couples[able & (self.marriage["date"][couples] < self.first_day)]
        if len(couples) == 0:
            return
        young = np.flatnonzero(self.col("born") > self.first_day - _ORPHANED * _YEAR)
        father, mother = self.person["father"][young], self.person["mother"][young]
        lost = (father >= 0) & (self.col("adopted")[young] < 0) & self.staying(young)
        lost &= np.maximum(self.person["died"][father], self.person["died"][mother]) < self.first_day
        orphans = young[lost & (self.col("born")[young] < self.first_day)]
        orphans = orphans[self.rng.unit(len(orphans)) < _TAKEN_IN]
        self._take(orphans, couples[self.rng.below(len(orphans), len(couples))])
        chosen = couples[self.rng.below(away, len(couples))]
        born = self.first_day - 1 - self.rng.below(away, 6 * _YEAR)
        fits = self._grown(chosen, born)
        sex = (self.rng.unit(away) < _FEMALE).astype(np.int64)
        new = self.add(born[fits], female=sex[fits])
        self._take(new, chosen[fits][: len(new)])

    def _grown(self, couples: Ints, born: Ints) -> Bools:
        """Which couples are old enough to have a child born on that day."""
        younger = np.maximum(*(self.person["born"][self.marriage[side][couples]] for side in _SIDES))
        return np.asarray(younger <= born - _ADULT * _YEAR)

    def _take(self, child: Ints, couple: Ints) -> None:
        fits = self._grown(couple, self.person["born"][child])
        child, couple = child[fits], couple[fits]
        father, mother = self.marriage["husband"][couple], self.marriage["wife"][couple]
        self.person["adoptive_father"][child], self.person["adoptive_mother"][child] = father, mother
        self.person["adopted"][child] = self.day(len(child))
        self.person["surname"][child] = self.person["surname"][father if self.given.surname == "father" else mother]
        older = np.maximum(self.person["generation"][father], self.person["generation"][mother]) + 1
        self.person["generation"][child] = np.maximum(self.person["generation"][child], older)


def _tables(history: _History, given: FamilyGiven) -> Produced:
    """What there is to be told, in days since 1970."""
    history.bury(history.last_day + 1)
    present = (dt.date(given.present, 12, 31) - _EPOCH).days
    shift = present - history.last_day
    person, marriage = history.person, history.marriage
    first = int(person["born"].min()) + shift
    if first < (dt.date(1, 1, 1) - _EPOCH).days:
        raise GenerationError(
            "facts.family", f"family tree of {given.people}", expected="to begin after the year 1",
            got=f"{-first // _YEAR + 1970} years before it", fix="raise founders, children or outside",
        )  # fmt: skip
    died = person["died"] + shift
    dead, taken = np.flatnonzero(died <= present), np.flatnonzero(person["adopted"] >= 0)
    ended = np.flatnonzero(marriage["ended"] >= 0)
    began, end = marriage["date"] + shift, marriage["ended"] + shift
    return {
        "person": _people(history, shift, given) | {"living": (died > present) * 1},
        "marriage": {
            "husband": marriage["husband"], "wife": marriage["wife"], "date": began,
            "lasting": (marriage["ended"] < 0) * 1, "divorced": marriage["divorced"],
            "children": _counted(person["birth_bond"], len(began)),
        },
        "marriage_end": {
            "husband": marriage["husband"][ended], "wife": marriage["wife"][ended], "date": began[ended],
            "ended": end[ended], "divorced": marriage["divorced"][ended], "years": years_between(began, end)[ended],
        },
        "death": {"person": dead, "date": died[dead], "age": years_between(person["born"] + shift, died)[dead]},
        "adoption": {
            "child": taken, "father": person["adoptive_father"][taken], "mother": person["adoptive_mother"][taken],
            "date": person["adopted"][taken] + shift,
            "age": years_between(person["born"] + shift, person["adopted"] + shift)[taken],
        },
    }  # fmt: skip


def _people(history: _History, shift: int, given: FamilyGiven) -> dict[str, NDArray[Any]]:
    person, size = history.person, history.size
    father, mother = person["father"], person["mother"]
    born_here = father >= 0
    pair = np.where(born_here, father * size + mother, -1)
    both = np.unique(pair, return_inverse=True, return_counts=True)
    full = np.where(born_here, both[2][both[1]] - 1, 0)
    near = _counted(father, size)[father] + _counted(mother, size)[mother] - 2
    bond = person["bond"]
    sides = np.array([history.marriage[side][bond] if len(history.marriage[side]) else bond for side in _SIDES])
    other = np.where(person["female"] == 1, sides[0], sides[1])
    made = {column: person[column] for column in _KEPT} | {
        "born": person["born"] + shift, "adopted": (person["adopted"] >= 0) * 1,
        "spouse": np.where(bond >= 0, other, -1), "children": _counted(father, size) + _counted(mother, size),
        "siblings": full, "half_siblings": np.where(born_here, near - 2 * full, 0),
    }  # fmt: skip
    return made | ({"surname": person["surname"]} if given.surnames is not None else {})


def _counted(rows: Ints, size: int) -> Ints:
    """How often each row is referred to."""
    return np.bincount(rows[rows >= 0], minlength=size).astype(np.int64)

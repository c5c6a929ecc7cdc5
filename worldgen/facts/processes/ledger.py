"""Double-entry books of trading firms: every entry's debits equal its credits, and balances add up from the opening.

Whole cents throughout. A balance counts on the usual side of its account (assets and expenses: debit; the others:
credit) and never falls below zero: an entry for which the money, stock or debt is lacking is made smaller or gives way
to one that the firm would have to make first, such as a purchase before a sale. Turnover, wages and rent are scaled to
one another, so that firms of any size have margins like those of traders.

References:
    L. Pacioli, *Particularis de computis et scripturis* (in *Summa de arithmetica*), 1494.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from worldgen.facts.distributions import noise_factor, weighted
from worldgen.facts.processes.process import (
    Days,
    Given,
    Process,
    Produced,
    Span,
    View,
    days_of,
    from_schema,
    int_column,
    processes,
    require_rows,
)
from worldgen.seeds import Stream

Ints = NDArray[np.int64]


class Account(NamedTuple):
    """An account of the chart: its number, its class, and the side on which it grows."""

    number: int
    title: str
    kind: str
    side: str


CHART = (
    Account(1000, "cash", "asset", "debit"),
    Account(1100, "receivables", "asset", "debit"),
    Account(1200, "inventory", "asset", "debit"),
    Account(1500, "equipment", "asset", "debit"),
    Account(1590, "accumulated_depreciation", "asset", "credit"),
    Account(2000, "payables", "liability", "credit"),
    Account(2500, "loan", "liability", "credit"),
    Account(3000, "capital", "equity", "credit"),
    Account(4000, "sales", "income", "credit"),
    Account(5000, "cost_of_sales", "expense", "debit"),
    Account(6000, "wages", "expense", "debit"),
    Account(6100, "rent", "expense", "debit"),
    Account(6200, "depreciation", "expense", "debit"),
    Account(7000, "interest", "expense", "debit"),
)
_PLACE = {account.title: place for place, account in enumerate(CHART)}
_SIGN = [1 if account.side == "debit" else -1 for account in CHART]

# Kind of entry: the pairs of accounts debited and credited, the first with its amount, the second with what goes along.
ENTRIES: dict[str, tuple[tuple[str, str], ...]] = {
    "credit_sale": (("receivables", "sales"), ("cost_of_sales", "inventory")),
    "cash_sale": (("cash", "sales"), ("cost_of_sales", "inventory")),
    "purchase": (("inventory", "payables"),),
    "collection": (("cash", "receivables"),),
    "payment": (("payables", "cash"),),
    "equipment": (("equipment", "cash"),),
    "borrowing": (("cash", "loan"),),
    "repayment": (("loan", "cash"), ("interest", "cash")),
    "rent": (("rent", "cash"),),
    "wages": (("wages", "cash"),),
    "depreciation": (("depreciation", "accumulated_depreciation"),),
}
_KINDS = tuple(ENTRIES)
_CHANCES = {
    "credit_sale": 30, "cash_sale": 14, "purchase": 18, "collection": 20, "payment": 16, "equipment": 1, "repayment": 1,
}  # fmt: skip
_MONTHLY = ("rent", "wages", "depreciation")
_INSTEAD = ("collection", "cash_sale", "purchase", "borrowing")
_YEAR = 365
_SALE_SPREAD = 0.6
# Hundredths of a month's turnover.
_WAGES, _RENT, _COST, _RESERVE = 17, 5, 65, 40
_LIFE_IN_MONTHS = 60
_INTEREST_PER_THOUSAND = 15


class LedgerGiven(Given):
    """Parameters of a ledger."""

    firms: str = Field(description="The entity whose books are kept.")
    dates: Days = Field(description="First and last day of the books.")
    entries: Span = Field(default=(60, 120), description="Least and greatest number of entries of a firm.")
    turnover: str | float = Field(default=600000, description="Usual turnover of a year: a number, or of the firm.")

    @model_validator(mode="after")
    def _possible(self) -> LedgerGiven:
        if self.entries[0] < 1:
            raise ValueError(f"entries: 1 or more expected; got {self.entries[0]}")
        if not isinstance(self.turnover, str) and not 1000 <= self.turnover <= 1e11:
            raise ValueError(f"turnover: 1000 to 1e11 expected; got {self.turnover:g}")
        return self


@processes.register("ledger")
class Ledger(Process):
    """A chart of accounts for each firm, journal entries in order, and their postings with running balances.

    An account's kind is asset, liability, equity, income or expense, its side debit or credit, its title cash,
    receivables, inventory, equipment, accumulated_depreciation, payables, loan, capital, sales, cost_of_sales, wages,
    rent, depreciation or interest. An entry's kind is credit_sale, cash_sale, purchase, collection, payment, equipment,
    borrowing, repayment, rent, wages or depreciation.
    """

    name: ClassVar[str] = "ledger"
    parameters: ClassVar[type[Given]] = LedgerGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "firm": {
            "entries": "integer", "revenue": "money", "expenses": "money", "profit": "money", "assets": "money",
            "liabilities": "money", "capital": "money",
        },
        "account": {
            "firm": "ref:firms", "number": "integer", "title": "category", "kind": "category", "side": "category",
            "opening": "money", "debits": "money", "credits": "money", "closing": "money",
        },
        "entry": {
            "firm": "ref:firms", "number": "integer", "date": "date", "kind": "category", "amount": "money",
        },
        "posting": {
            "entry": "ref:entry", "place": "integer", "account": "ref:account", "debit": "money", "credit": "money",
            "balance": "money",
        },
    }  # fmt: skip

    def needs(self, given: LedgerGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """The firms, with the attribute that is their turnover."""
        return {given.firms: [given.turnover] if isinstance(given.turnover, str) else []}

    def run(self, given: LedgerGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Keep the books of all firms."""
        firms = require_rows(self.name, view, given.firms, 1)
        turnover = from_schema(view, given.firms, given.turnover, "process ledger: turnover", 1000)
        calendar = _Calendar.of(*given.dates)
        least, greatest = given.entries
        sizes = (least + rng.below(firms, greatest - least + 1)).tolist()
        journal = _Journal()
        opening = []
        for firm, size in enumerate(sizes):
            month = int(turnover[firm] * 100) // 12
            books = _Books(month, _opening(month, rng), journal)
            opening.append(list(books.balances))
            books.keep(firm, calendar, size, rng)
        return _tables(journal, int_column(opening), firms)


@dataclass(frozen=True, slots=True)
class _Calendar:
    """Working days since 1970-01-01, and the last of each month; all days where none is a working day."""

    days: Ints
    month_ends: Ints

    @classmethod
    def of(cls, first: dt.date, last: dt.date) -> _Calendar:
        every = np.arange(days_of(first), days_of(last) + 1)
        working = every[(every + 3) % 7 < 5]
        days = working if len(working) else every
        month = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        return cls(days, days[np.append(np.flatnonzero(np.diff(month)), len(days) - 1)])


class _Journal:
    """What has been entered, column by column."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int, int, int, int]] = []
        self.postings: list[tuple[int, int, int, int, int, int]] = []


def _opening(month: int, rng: Stream) -> list[int]:
    """Balances to begin with; capital is what the assets exceed the debts by, which they always do."""
    drawn: list[int] = (rng.unit(8) * 1000).astype(np.int64).tolist()

    def between(low: int, high: int, of: int = month) -> int:
        """``low`` to ``high`` hundredths of a sum."""
        return of * (low * 1000 + (high - low) * drawn.pop()) // 100_000

    balances = [0] * len(CHART)
    for title, low, high in (("cash", 150, 300), ("receivables", 80, 150), ("inventory", 100, 200)):
        balances[_PLACE[title]] = between(low, high)
    equipment = between(100, 400)
    worn = between(20, 60, equipment)
    balances[_PLACE["equipment"]], balances[_PLACE["accumulated_depreciation"]] = equipment, worn
    balances[_PLACE["payables"]] = between(60, 120)
    balances[_PLACE["loan"]] = between(20, 80, equipment - worn)
    balances[_PLACE["capital"]] = sum(sign * held for sign, held in zip(_SIGN, balances, strict=True))
    return balances


class _Books:
    """One firm's accounts.

    Args:
        month: A month's turnover in cents.
        balances: Of each account of the chart, on its usual side.
        journal: Where entries are put down.
    """

    def __init__(self, month: int, balances: list[int], journal: _Journal) -> None:
        self.month = month
        self.balances = balances
        self.journal = journal

    def keep(self, firm: int, calendar: _Calendar, size: int, rng: Stream) -> None:
        """Enter so many entries in order of days: month ends where there is room for them, business between."""
        months = calendar.month_ends[len(calendar.month_ends) - min(len(calendar.month_ends), size // 9) :]
        free = size - len(_MONTHLY) * len(months)
        drawn = [_KINDS.index(kind) for kind in _CHANCES]
        kinds = int_column(drawn)[weighted(list(_CHANCES.values()), free, rng)]
        days = np.concatenate((calendar.days[rng.below(free, len(calendar.days))], np.repeat(months, len(_MONTHLY))))
        ends = np.tile([_KINDS.index(kind) for kind in _MONTHLY], len(months))
        kinds = np.concatenate((kinds, ends)).astype(np.int64)
        order = np.lexsort((np.arange(size), days))
        # A sale's mean makes the turnover of the whole period; 44 of 100 entries of daily business are sales.
        sale = self.month * 12 * (int(calendar.days[-1] - calendar.days[0]) + 1) // _YEAR * 100 // (44 * free)
        sizes = (noise_factor(size, _SALE_SPREAD, rng) * 1000).astype(np.int64).tolist()
        shares = (rng.unit(size) * 1000).astype(np.int64).tolist()
        for number, (row, kind, day) in enumerate(
            zip(order.tolist(), kinds[order].tolist(), days[order].tolist(), strict=True)
        ):
            wanted = _KINDS[kind]
            instead = ("borrowing",) if wanted in _MONTHLY else _INSTEAD
            for each in (wanted, *instead):
                parts = self.amounts(each, max(sale * sizes[row] // 1000, 100), shares[row])
                if parts and self.affordable(each, parts):
                    self.enter(firm, number + 1, day, each, parts)
                    break

    def amounts(self, kind: str, size: int, share: int) -> tuple[int, ...]:
        """What an entry would come to in cents, part by part; nothing where there is nothing to enter.

        Args:
            kind: Of entry.
            size: Of a sale just now.
            share: 0 to 999, drawn.
        """
        held, month = self.balances, self.month
        cash, fixed = held[_PLACE["cash"]], (_WAGES + _RENT) * month // 100
        parts: tuple[int, ...]
        if kind in {"credit_sale", "cash_sale"}:
            parts = (size, size * (_COST * 10 - 100 + share // 5) // 1000)
        elif kind == "purchase":
            parts = (size * _COST * 44 // 18 // 100,)
        elif kind == "collection":
            parts = (held[_PLACE["receivables"]] * (200 + share * 2 // 5) // 1000,)
        elif kind == "payment":
            due = held[_PLACE["payables"]] * (200 + share * 2 // 5) // 1000
            parts = (min(due, cash - _RESERVE * month // 100),)
        elif kind == "equipment":
            parts = (min(month * (200 + share // 2) // 1000, (cash - 2 * fixed) // 2),)
        elif kind == "borrowing":
            parts = (_round(month * (500 + share) // 1000, 100_000),)
        elif kind == "repayment":
            loan = held[_PLACE["loan"]]
            parts = (loan * (50 + share // 10) // 1000, loan * _INTEREST_PER_THOUSAND // 1000)
        elif kind == "depreciation":
            left = held[_PLACE["equipment"]] - held[_PLACE["accumulated_depreciation"]]
            parts = (min(held[_PLACE["equipment"]] // _LIFE_IN_MONTHS, left),)
        else:
            parts = (_round(month * (_WAGES if kind == "wages" else _RENT) // 100, 1000),)
        return parts if min(parts) > 0 else ()

    def affordable(self, kind: str, parts: tuple[int, ...]) -> bool:
        """Whether no account would fall below zero."""
        change = [0] * len(CHART)
        for (debit, credit), part in zip(ENTRIES[kind], parts, strict=True):
            change[_PLACE[debit]] += part * _SIGN[_PLACE[debit]]
            change[_PLACE[credit]] -= part * _SIGN[_PLACE[credit]]
        return all(held + more >= 0 for held, more in zip(self.balances, change, strict=True))

    def enter(self, firm: int, number: int, day: int, kind: str, parts: tuple[int, ...]) -> None:
        """Put an entry down, debit and credit of one part after the other."""
        journal = self.journal
        entry, place = len(journal.entries), 0
        journal.entries.append((firm, number, day, _KINDS.index(kind), sum(parts)))
        for (debit, credit), part in zip(ENTRIES[kind], parts, strict=True):
            for title, sign in ((debit, 1), (credit, -1)):
                at = _PLACE[title]
                self.balances[at] += part * sign * _SIGN[at]
                place += 1
                amounts = (part, 0) if sign > 0 else (0, part)
                journal.postings.append((entry, place, firm * len(CHART) + at, *amounts, self.balances[at]))


def _round(cents: int, step: int) -> int:
    """Down to a step, if that leaves anything."""
    return cents // step * step or cents


def _tables(journal: _Journal, opening: Ints, firms: int) -> Produced:
    entries, postings = int_column(journal.entries), int_column(journal.postings)
    of_firm, number, date, kind, amount = entries.T
    entry, place, account, debit, credit, balance = postings.T
    debits, credits_ = (_sums(account, values, firms).reshape(opening.shape) for values in (debit, credit))
    closing = opening + int_column(_SIGN) * (debits - credits_)
    signed = closing * np.array([-1 if each.title == "accumulated_depreciation" else 1 for each in CHART])

    def total(of: str) -> Ints:
        return np.asarray(signed[:, [each.kind == of for each in CHART]].sum(axis=1), dtype=np.int64)

    def money(cents: NDArray[Any]) -> NDArray[Any]:
        return cents.ravel() / 100.0

    def column(values: list[str]) -> NDArray[Any]:
        return np.tile(values, firms)

    return {
        "firm": {
            "entries": np.bincount(of_firm, minlength=firms), "revenue": money(total("income")),
            "expenses": money(total("expense")), "profit": money(total("income") - total("expense")),
            "assets": money(total("asset")), "liabilities": money(total("liability")),
            "capital": money(total("equity")),
        },
        "account": {
            "firm": np.repeat(np.arange(firms, dtype=np.int64), len(CHART)),
            "number": np.tile([each.number for each in CHART], firms),
            "title": column([each.title for each in CHART]), "kind": column([each.kind for each in CHART]),
            "side": column([each.side for each in CHART]), "opening": money(opening), "debits": money(debits),
            "credits": money(credits_), "closing": money(closing),
        },
        "entry": {
            "firm": of_firm, "number": number, "date": date, "kind": np.array(_KINDS)[kind], "amount": money(amount),
        },
        "posting": {
            "entry": entry, "place": place, "account": account, "debit": money(debit), "credit": money(credit),
            "balance": money(balance),
        },
    }  # fmt: skip


def _sums(account: Ints, values: Ints, firms: int) -> Ints:
    sums = np.zeros(firms * len(CHART), dtype=np.int64)
    np.add.at(sums, account, values)
    return sums

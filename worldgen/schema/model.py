"""The schema language as pydantic models: every word that a schema may contain, and what it means.

The field descriptions are the reference: ``docs/schema-reference.md`` and the JSON Schema for editors are made from
them. Here a node is checked by itself; what spans several nodes (references, cycles, labels, expressions, SQL) is
checked in `worldgen.schema.checks`.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from worldgen.records import Language, Trust
from worldgen.schema.sources import IMPLYING, MAKES, SOURCES, misfit

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
WorldName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
Strategy = Literal["time_shifted", "long_tail", "private", "grounded"]
AttributeType = Literal["integer", "decimal", "money", "percent", "year", "date", "category", "boolean", "name", "ref"]
Genre = Literal["encyclopedia", "organisation", "news", "list", "ranking", "statistics", "thread", "review"]
Cardinality = Literal["one_to_one", "one_to_many", "many_to_one", "many_to_many"]
Fold = Literal["sum", "mean", "min", "max"]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _spelled(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Spelled = Annotated[str, BeforeValidator(_spelled), WithJsonSchema({"type": ["string", "number"]})]
"""Text that may be a bare number in YAML: a year, a constant expression."""
Wordings = Annotated[list[str], BeforeValidator(_listed), Field(min_length=1)]


def _english() -> list[Language]:
    return ["en"]


Labels = dict[Language, Wordings]
Texts = dict[Language, str]


class Node(BaseModel):
    """The base of every node: unknown keys are errors, instances are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Normal(Node):
    """A normal distribution."""

    mean: float = Field(description="Its centre.")
    sd: float = Field(gt=0, description="Standard deviation.")


class Lognormal(Node):
    """A lognormal distribution: ``median * exp(sigma * z)``."""

    median: float = Field(gt=0, description="Half of the values lie below.")
    sigma: float = Field(gt=0, le=4, description="Spread of the logarithms.")


class Pareto(Node):
    """A Pareto distribution: ``min / u**(1/alpha)``."""

    min: float = Field(gt=0, description="Least value.")
    alpha: float = Field(gt=0, description="The smaller, the heavier the tail.")


class Zipf(Node):
    """Ranks 1 … max with probability proportional to ``1 / rank**s``."""

    s: float = Field(default=1.0, gt=0, le=4, description="The greater, the steeper.")
    max: int = Field(ge=1, le=1_000_000, description="Greatest rank.")


class Depends(Node):
    """A functional dependency: the value follows from another attribute of the same row or of a referenced row."""

    on: str = Field(description="A path to a category or boolean, e.g. `tier` or `chip.tier`.")
    map: dict[str, float | str] = Field(min_length=1, description="Its value → the value here; all of them.")


class Rank(Node):
    """The position of a row when all rows are ordered by another attribute: 1 … n, each once."""

    of: str = Field(description="The attribute that orders the rows.")
    descending: bool = Field(default=True, description="The greatest value ranks first.")


class Share(Node):
    """Parts that add up exactly to a total."""

    total: float = Field(default=100, description="What the shares add up to.")
    weight: Spelled = Field(description="Expression that gives the row's weight, above zero.")
    within: str | None = Field(default=None, description="A ref: shares add up within each of its values.")


class Aggregate(Node):
    """A value computed from the rows that refer to this one."""

    table: Identifier = Field(description="Entity, relation or `<entity>_<series>` whose rows are aggregated.")
    by: Identifier = Field(description="Its ref that points here.")
    how: Literal["count", "sum", "mean", "min", "max"] = Field(description="What is computed.")
    of: Identifier | None = Field(default=None, description="The attribute aggregated; none for count.")

    @model_validator(mode="after")
    def _of(self) -> Aggregate:
        if (self.of is None) != (self.how == "count"):
            raise ValueError("`of` goes with sum, mean, min and max, and not with count")
        return self


class Value(Node):
    """One value of a category."""

    weight: float = Field(default=1.0, ge=0, description="Relative frequency.")
    en: Wordings | None = Field(default=None, description="English wordings; by default the key itself.")
    zh: Wordings | None = Field(default=None, description="Chinese wordings.")


def _value(raw: Any) -> Any:
    return {"weight": raw} if isinstance(raw, int | float) and not isinstance(raw, bool) else raw


class Degree(Node):
    """How many rows each target gets: exactly one shape."""

    zipf: float | None = Field(default=None, gt=0, le=4, description="Exponent of a Zipf law over the targets.")
    weight: Spelled | None = Field(default=None, description="Expression over the target, e.g. `population`.")
    even: bool | None = Field(default=None, description="As even as can be.")
    mean: float | None = Field(default=None, gt=0, description="Mean number of targets (many_to_many).")
    max: int | None = Field(default=None, ge=1, description="Greatest number of targets (many_to_many).")


_NUMBERS = ("integer", "decimal", "money", "percent")
_NUMBER_FOLDS: tuple[Fold, ...] = ("mean", "min", "max")
_FOLDS: dict[str, tuple[Fold, ...]] = {
    **dict.fromkeys(_NUMBERS, ("sum", "mean", "min", "max")),
    "year": ("min", "max"),
    "date": ("min", "max"),
}
_AGGREGATES = (
    "What questions may compute from several values; by default mean, min and max of numbers. A sum has to be asked for"
    " here: of prices, rates and scores it means nothing. A year or date may have min and max, a rank has none."
)


_KNOWN = (
    "The first day on which a page may state it: a date, or a path to a date or year of the row (a year counts from the"
    " day after it). Whatever is computed from it is known no earlier: counts, sums, ranks, shares, expressions."
)
_CHANGES = (
    "May have had another value before, so that an old copy of a page is out of date in it; by default numbers, money,"
    " percentages and refs may, but not dates, years, names, categories, booleans and measures such as metres or grams."
)
_OF_ALL = " For all attributes of the rows."
_OF_THOSE = " For all attributes of the rows that do not say so themselves."


class Attribute(Node):
    """One typed attribute: what it is, how it is said, where its values come from."""

    type: AttributeType | None = Field(default=None, description="Needed unless `ref` or `name` implies it.")
    label: Labels = Field(default_factory=dict, description="At least three wordings a language, unless hidden.")
    unit: str | None = Field(default=None, description="A unit of `worldgen/language/data/units.yaml`.")
    currency: str | None = Field(default=None, description="A currency code; money only.")
    decimals: int = Field(default=0, ge=0, le=6, description="Digits after the point that are stored.")
    round: float | None = Field(default=None, gt=0, description="Values are multiples of this.")
    min: float | None = Field(default=None, description="Least value.")
    max: float | None = Field(default=None, description="Greatest value.")
    uniform: tuple[float, float] | tuple[dt.date, dt.date] | None = Field(default=None, description="[least, greatest]")
    normal: Normal | None = Field(default=None, description="Around a mean.")
    lognormal: Lognormal | None = Field(default=None, description="Skewed, above zero.")
    pareto: Pareto | None = Field(default=None, description="A heavy tail above a least value.")
    zipf: Zipf | None = Field(default=None, description="Ranks, the first the most frequent.")
    empirical: dict[float, float] | list[float] | None = Field(default=None, description="Values, or value: weight.")
    values: dict[str, Annotated[Value, BeforeValidator(_value)]] | None = Field(
        default=None, description="Category values, each with a weight and wordings."
    )
    expr: Spelled | None = Field(default=None, description="Arithmetic over this row and the rows it refers to.")
    noise: float | None = Field(default=None, ge=0, le=2, description="With expr: relative standard deviation.")
    depends: Depends | None = Field(default=None, description="Looked up by another attribute.")
    rank: Rank | None = Field(default=None, description="Place by another attribute.")
    share: Share | None = Field(default=None, description="Part of a total.")
    aggregate: Aggregate | None = Field(default=None, description="Computed from rows that refer here.")
    name: str | None = Field(default=None, description="A coined name of this kind, e.g. `brand` (type `name`).")
    ref: Identifier | None = Field(default=None, description="The entity referred to (type `ref`).")
    process: bool | None = Field(default=None, description="True: filled by a process, from `values` if given.")
    degree: Degree | None = Field(default=None, description="With ref: how rows spread over the targets.")
    distinct: bool = Field(default=False, description="With ref: each target at most once.")
    optional: float = Field(default=0, ge=0, lt=1, description="With ref: share of rows that refer to nothing.")
    acyclic: bool = Field(default=False, description="With ref to the same entity: never a cycle.")
    after: Spelled | None = Field(default=None, description="A path or date that this date or year comes after.")
    before: Spelled | None = Field(default=None, description="A path or date that this date or year comes before.")
    culture: Wordings | None = Field(default=None, description="With name: cultures of its sounds.")
    known: Spelled | None = Field(default=None, description=_KNOWN)
    changes: bool | None = Field(default=None, description=_CHANGES)
    unique: bool = Field(default=False, description="No two rows share a value.")
    undisclosed: float = Field(default=0, ge=0, le=0.2, description="Share of values stated as not disclosed.")
    hidden: bool = Field(default=False, description="Used by others, stated nowhere, never asked.")
    ask: bool = Field(default=True, description="May be a column or a condition of a question.")
    aggregates: list[Fold] | None = Field(default=None, description=_AGGREGATES)
    say: Labels = Field(default_factory=dict, description="Sentences of its own with {name} and {value}.")

    @model_validator(mode="after")
    def _one_source(self) -> Attribute:
        given = [key for key in SOURCES if getattr(self, key) is not None]
        if given == ["values", "process"]:
            given = ["values"]  # a process picks among the categories listed
        if len(given) != 1:
            raise ValueError(f"exactly one source of values is needed ({', '.join(SOURCES)}); got {given or 'none'}")
        source = given[0]
        if self.type is None and source not in IMPLYING:
            raise ValueError(f"`type` is needed: `{source}` makes {' or '.join(MAKES[source])}")
        wrong = misfit(source, self.type) if self.type is not None and source in IMPLYING else None
        if wrong is not None:
            raise PydanticCustomError("source_misfit", "{message}", wrong._asdict())
        if self.kind == "category" and source == "process":
            raise ValueError("a category that a process fills lists its `values` beside `process: true`")
        if self.changes and self.kind == "name":
            raise ValueError("`changes`: a coined name has no other value that it may have had")
        return self

    @model_validator(mode="after")
    def _foldable(self) -> Attribute:
        known = () if self.rank is not None else _FOLDS.get(self.kind, ())
        wrong = [how for how in self.aggregates or () if how not in known]
        if wrong:
            what = "a rank" if self.rank is not None else f"values of type {self.kind}"
            raise ValueError(f"`aggregates`: {what} may have {' or '.join(known) or 'none'}; got {wrong[0]}")
        return self

    @property
    def kind(self) -> AttributeType:
        """The type, also where it is implied by the source."""
        if self.type is not None:
            return self.type
        return "ref" if self.ref is not None else "name" if self.name is not None else "category"

    @property
    def source(self) -> str:
        """Which of `SOURCES` gives the values; a process where one picks among the values listed."""
        return "process" if self.process is not None else next(key for key in SOURCES if getattr(self, key) is not None)

    @property
    def folds(self) -> tuple[Fold, ...]:
        """What questions may compute from the values of several rows."""
        if self.aggregates is not None:
            return tuple(self.aggregates)
        return _NUMBER_FOLDS if self.kind in _NUMBERS and self.rank is None else ()


class Name(Node):
    """How the entities of a type are named: coined from sounds, or built by a template."""

    kind: str | None = Field(default=None, description="Kind of coined name: person, place, company, …")
    culture: Wordings | None = Field(default=None, description="Cultures whose sounds are used.")
    template: Texts | None = Field(default=None, description="Text with {attribute} and {ref.attribute}.")

    @model_validator(mode="after")
    def _one(self) -> Name:
        if (self.kind is None) == (self.template is None):
            raise ValueError("give either `kind` or `template`")
        return self


class Entity(Node):
    """A type of thing: its rows are named, or told apart by a key of refs."""

    label: Labels = Field(description="Nouns as `one/many` in English, e.g. [phone/phones, handset/handsets].")
    count: int | None = Field(default=None, ge=0, le=5_000_000, description="Rows; none where a process makes them.")
    name: Name | None = Field(default=None, description="None: the rows have a key and a phrase instead.")
    key: list[Identifier] | None = Field(default=None, description="Attributes that tell the rows apart.")
    phrase: Texts | None = Field(
        default=None, description="How a row without a name is said, e.g. `{club} in {season}`."
    )
    attributes: dict[Identifier, Attribute] = Field(default_factory=dict, description="Its columns.")
    known: Spelled | None = Field(default=None, description=_KNOWN + _OF_ALL)
    changes: bool | None = Field(default=None, description=_CHANGES + _OF_THOSE)
    aliases: float = Field(default=0, ge=0, le=1, description="Share of rows that have an alias.")
    ambiguous: float = Field(default=0, ge=0, le=0.2, description="Share of rows that share an alias with another.")

    @model_validator(mode="after")
    def _named(self) -> Entity:
        if self.name is None and (self.key is None or self.phrase is None):
            raise ValueError("an entity has either a `name`, or a `key` and a `phrase`")
        return self


class Validity(Node):
    """When a relation's row holds: two of its date or year attributes."""

    start: Identifier = Field(alias="from", description="The attribute when it begins.")
    end: Identifier | None = Field(default=None, alias="to", description="The attribute when it ends.")


class Relation(Node):
    """Rows that join two entities. One-to-many and the like become a ref on the many side."""

    source: Identifier = Field(alias="from", description="The entity it leads from.")
    target: Identifier = Field(alias="to", description="The entity it leads to.")
    roles: tuple[Identifier, Identifier] | None = Field(default=None, description="Column names; by default the types.")
    cardinality: Cardinality = Field(description="How many may be joined with how many.")
    label: Labels = Field(
        default_factory=dict,
        description="Wordings of the ref it becomes; of many_to_many: nouns of its rows, as `one/many`.",
    )
    phrase: Texts | None = Field(default=None, description="How a row is said, e.g. `{phone} at {carrier}`.")
    degree: Degree | None = Field(default=None, description="How its rows spread over the targets.")
    acyclic: bool = Field(default=False, description="Between rows of one entity: never a cycle.")
    symmetric: bool = Field(default=False, description="Between rows of one entity: holds both ways.")
    valid: Validity | None = Field(default=None, description="When a row holds (many_to_many).")
    attributes: dict[Identifier, Attribute] = Field(default_factory=dict, description="Its columns (many_to_many).")
    known: Spelled | None = Field(default=None, description=_KNOWN + _OF_ALL)
    changes: bool | None = Field(default=None, description=_CHANGES + _OF_THOSE)

    @property
    def columns(self) -> tuple[str, str]:
        """The names of the two ref columns."""
        return self.roles or (self.source, self.target)


class Growth(Node):
    """Relative change from one period to the next: ``value * (1 + mean + sd * z)``."""

    mean: float = Field(default=0, description="Relative change a period.")
    sd: float = Field(default=0.05, ge=0, le=1, description="Its standard deviation.")


class Series(Node):
    """A value of an entity observed over time; its table is `<entity>_<series>`."""

    of: Identifier = Field(description="The entity observed.")
    every: Literal["month", "quarter", "year"] = Field(description="Length of a period.")
    start: Spelled = Field(alias="from", description="First period: 2028, 2028-Q1 or 2028-01.")
    end: Spelled = Field(alias="to", description="Last period.")
    type: Literal["integer", "decimal", "money", "percent"] = Field(description="What is observed.")
    label: Labels = Field(description="At least three wordings a language.")
    initial: Spelled = Field(description="Expression over the entity that gives the first value.")
    noise: float = Field(default=0, ge=0, le=2, description="Relative standard deviation of the first value.")
    growth: Growth = Field(default=Growth(), description="Change from period to period.")
    season: list[float] | None = Field(default=None, description="Factors by month or quarter of the year.")
    monotone: Literal["increasing", "decreasing"] | None = Field(default=None, description="Never turns back.")
    unit: str | None = Field(default=None, description="A unit of `worldgen/language/data/units.yaml`.")
    currency: str | None = Field(default=None, description="A currency code; money only.")
    decimals: int = Field(default=0, ge=0, le=6, description="Digits after the point that are stored.")
    round: float | None = Field(default=None, gt=0, description="Values are multiples of this.")
    min: float | None = Field(default=None, description="Least value.")
    max: float | None = Field(default=None, description="Greatest value.")
    undisclosed: float = Field(default=0, ge=0, le=0.2, description="Share of values stated as not disclosed.")
    ask: bool = Field(default=True, description="May be a column or a condition of a question.")
    aggregates: list[Fold] | None = Field(default=None, description=_AGGREGATES)

    @property
    def folds(self) -> tuple[Fold, ...]:
        """What questions may compute from several values."""
        return _NUMBER_FOLDS if self.aggregates is None else tuple(self.aggregates)


class ProcessUse(Node):
    """A structure that no distribution gives, made by a plug-in (entry point `worldgen.process`)."""

    use: str = Field(description="Name of the process.")
    fills: dict[str, Identifier] = Field(description="The process's tables → entities of this schema.")
    given: dict[str, Any] = Field(default_factory=dict, description="Parameters; the plug-in checks them.")


class Check(Node):
    """A rule: a SELECT that returns the rows that break it, and damage that it must notice."""

    sql: str = Field(description="SELECT over the world's tables; no row means that the rule holds.")
    breaks: str = Field(description="UPDATE, INSERT or DELETE after which the SELECT must return a row.")
    why: str = Field(default="", description="The rule in words.")


class Site(Node):
    """A publisher of pages."""

    name: Texts = Field(description="With {scope} for the world's coined setting.")
    host: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="First label of the host name.")
    genres: list[Genre] = Field(min_length=1, description="Kinds of pages it publishes.")
    about: list[Identifier] | None = Field(default=None, description="Tables it writes about; none means all.")
    trust: Trust = Field(default="medium", description="Decides between pages that disagree.")
    languages: list[Language] = Field(default_factory=_english, description="Languages it publishes in.")


class Scope(Node):
    """The coined setting that tells this world from its siblings in a search, e.g. a country whose market it is."""

    kind: str = Field(default="region", description="Kind of coined name.")
    culture: Wordings | None = Field(default=None, description="Cultures of its sounds.")
    phrase: Texts = Field(description="The setting in words with {name}, e.g. `the {name} smartphone market`.")


class Noise(Node):
    """Rates of what makes a corpus hard to read; shares of entities unless said otherwise."""

    stale: float = Field(default=0.06, ge=0, le=0.5, description="Entities with an archived copy that is out of date.")
    mistaken: float = Field(default=0.05, ge=0, le=0.5, description="Entities about which a low-trust page errs.")
    background: float = Field(default=0.10, ge=0, le=2, description="Pages about things nobody asks, per sound page.")
    indirect: float = Field(default=0.22, ge=0, le=1, description="Statements that need a unit, a date or arithmetic.")


class Subject(Node):
    """What may be asked of one table."""

    weight: float = Field(default=1, gt=0, description="How often it is asked about.")
    columns: list[str] | None = Field(default=None, description="Paths that may be columns; none means all.")
    where: list[str] | None = Field(default=None, description="Paths that may be conditions; none means all.")
    reasons: Labels = Field(default_factory=dict, description="Why somebody asks: sentences that open a question.")


class Tasks(Node):
    """Which questions are worth asking."""

    count: int = Field(default=20, ge=0, le=500, description="Most questions a world has.")
    subjects: dict[Identifier, Subject] = Field(default_factory=dict, description="None means every table.")


class Schema(Node):
    """A whole schema file."""

    world: WorldName = Field(description="Name of the world, as in `worlds/<name>-<seed>`.")
    title: Texts = Field(description="Title in each language.")
    strategy: Strategy = Field(description="How the world keeps apart from the real one.")
    as_of: dt.date = Field(description="What `now` is in this world: 1000-01-01 to 9000-12-31.")
    premise: str = Field(description="The specification in a paragraph, also for a world model.")
    languages: list[Language] = Field(default_factory=_english, min_length=1, description="Languages of the questions.")
    cultures: Wordings = Field(description="Cultures for every name that does not say its own.")
    scope: Scope = Field(description="What sets the world apart in a search.")
    entities: dict[Identifier, Entity] = Field(min_length=1, description="Types of things.")
    relations: dict[Identifier, Relation] = Field(default_factory=dict, description="What joins them.")
    series: dict[Identifier, Series] = Field(default_factory=dict, description="Values over time.")
    processes: list[ProcessUse] = Field(default_factory=list, description="Structures made by plug-ins.")
    checks: dict[Identifier, Check] = Field(default_factory=dict, description="Rules that hold in every world.")
    sites: list[Site] = Field(min_length=1, description="Who publishes the pages.")
    noise: Noise = Field(default=Noise(), description="What makes the pages hard to read.")
    tasks: Tasks = Field(default=Tasks(), description="What is asked.")

"""The catalogue of a world: what every world has, whatever its schema. All tables are prefixed ``wg_``.

A world's own entities lie in typed tables (see `worldgen.store.typed`), which plain SQL can ask; the catalogue ties
them to the pages that state them and to the questions that need them.
"""

from __future__ import annotations

from sqlmodel import Field, SQLModel


class Entity(SQLModel, table=True):
    """A row of any table of the schema that is a thing: an entity or a relation's row."""

    __tablename__ = "wg_entity"
    id: str = Field(primary_key=True)
    type: str = Field(index=True)
    ordinal: int
    name: str = Field(index=True)
    name_zh: str
    named: int = Field(description="1 where the name is the entity's own, 0 where it is a phrase of its key.")


class Alias(SQLModel, table=True):
    """Another name of an entity; the same text may belong to two entities only where it is declared ambiguous."""

    __tablename__ = "wg_alias"
    id: int = Field(primary_key=True)
    entity: str = Field(index=True)
    language: str
    text: str = Field(index=True)
    ambiguous: int


class Fact(SQLModel, table=True):
    """One value: `value` is its canonical text, NULL where it is not disclosed or refers to nothing."""

    __tablename__ = "wg_fact"
    id: str = Field(primary_key=True)
    subject: str = Field(index=True)
    attribute: str
    time: str
    type: str
    value: str | None
    disclosed: int


class PageRow(SQLModel, table=True):
    """A page of the corpus or of the haystack; `kind` is never told to an agent."""

    __tablename__ = "wg_page"
    url: str = Field(primary_key=True)
    site: str
    genre: str
    language: str
    title: str
    date: str
    author: str
    trust: str
    kind: str = Field(index=True)
    subject: str = Field(index=True)
    body: str


class StatementRow(SQLModel, table=True):
    """Where a page states a fact; see `worldgen.records.Statement`."""

    __tablename__ = "wg_statement"
    id: int = Field(primary_key=True)
    url: str = Field(index=True)
    fact: str = Field(index=True)
    start: int
    end: int
    value_start: int
    value_end: int
    label: str
    form: str
    claimed: str


class LinkRow(SQLModel, table=True):
    """A link from one page to another."""

    __tablename__ = "wg_link"
    id: int = Field(primary_key=True)
    url: str = Field(index=True)
    target: str = Field(index=True)
    text: str


class YearsRow(SQLModel, table=True):
    """Where the years of a page's calendar begin, in title, line end and body: numbers with spaces between them."""

    __tablename__ = "wg_years"
    url: str = Field(primary_key=True)
    places: str


class TaskRow(SQLModel, table=True):
    """A question; the nested records are JSON text."""

    __tablename__ = "wg_task"
    instance_id: str = Field(primary_key=True)
    language: str
    question: str
    columns: str
    rows: str
    evaluation: str
    query: str
    plan: str
    difficulty: str


class EvidenceRow(SQLModel, table=True):
    """Where a gold cell can be read."""

    __tablename__ = "wg_evidence"
    id: int = Field(primary_key=True)
    instance_id: str = Field(index=True)
    row: int
    column: str
    fact: str
    url: str
    start: int
    end: int


MODELS: tuple[type[SQLModel], ...] = (
    Entity,
    Alias,
    Fact,
    PageRow,
    StatementRow,
    LinkRow,
    YearsRow,
    TaskRow,
    EvidenceRow,
)

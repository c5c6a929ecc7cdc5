"""What a world may contain: the schema language, its loader, its checks.

>>> from worldgen.schema import shipped
>>> isinstance(shipped(), dict)
True
"""

from __future__ import annotations

from worldgen.schema.canonical import canonical, from_canonical, schema_digest
from worldgen.schema.catalogue import Row, describe, shipped
from worldgen.schema.checks import check_schema
from worldgen.schema.context import used_languages
from worldgen.schema.dependencies import attribute_order
from worldgen.schema.layout import (
    Field,
    SqlType,
    categories_of,
    entity_attributes,
    relation_ref,
    resolve,
    series_table,
    sql_columns,
    sql_type,
    tables,
)
from worldgen.schema.loader import load_schema, parse_schema
from worldgen.schema.model import Schema
from worldgen.schema.problems import SchemaErrors
from worldgen.schema.vocabulary import Vocabulary

__all__ = [
    "Field",
    "Row",
    "Schema",
    "SchemaErrors",
    "SqlType",
    "Vocabulary",
    "attribute_order",
    "canonical",
    "categories_of",
    "check_schema",
    "describe",
    "entity_attributes",
    "from_canonical",
    "load_schema",
    "parse_schema",
    "relation_ref",
    "resolve",
    "schema_digest",
    "series_table",
    "shipped",
    "sql_columns",
    "sql_type",
    "tables",
    "used_languages",
]

"""Arithmetic in a schema: parsed by a whitelist, checked for kinds, evaluated over whole columns.

An expression may hold numbers, text in quotes, paths such as ``price`` or ``maker.founded``, ``+ - * / **``,
comparisons, ``in``, ``and or not`` and the functions in `FUNCTIONS`. Nothing in it is ever run as Python.
"""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import SchemaError, did_you_mean
from worldgen.schema import elementary

Array = NDArray[Any]
Resolve = Callable[[str], Array]
Kind = Literal["number", "boolean", "date", "text"]

FUNCTIONS = {
    "min": (2, None), "max": (2, None), "abs": (1, 1), "sqrt": (1, 1), "log": (1, 1), "exp": (1, 1), "floor": (1, 1),
    "if_": (3, 3), "year": (1, 1), "date": (1, 1),
}  # fmt: skip
"""Function → least and greatest number of arguments."""

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_COMPARE: dict[type[ast.cmpop], Callable[[Array, Array], Array]] = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}  # fmt: skip
_EPOCH = dt.date(1970, 1, 1)
_LONGEST = 1000
_EXPECTED = "numbers, 'text', paths, + - * / **, comparisons, and/or/not, " + ", ".join(f"{f}()" for f in FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; make one with `parse`.

    Attributes:
        text: As written.
        where: What it belongs to, for messages.
        paths: The paths it reads, each once, in order of appearance.
        literals: The texts in quotes that it may give, in order of appearance.
    """

    text: str
    where: str
    paths: tuple[str, ...]
    literals: tuple[str, ...]
    tree: ast.expr


def parse(text: str, where: str = "expression") -> Expression:
    """Parse an expression.

    Args:
        text: The expression.
        where: What it belongs to, e.g. ``phone.price``.

    Raises:
        SchemaError: Where it holds anything that the language does not allow.

    >>> parse("180 + 6.5*ram + maker.size**0.8").paths
    ('ram', 'maker.size')
    """
    try:
        if len(text) > _LONGEST:
            raise _error(where, f"at most {_LONGEST} characters", str(len(text)))
        tree = ast.parse(text.strip(), mode="eval").body
        nodes = list(_checked(tree, where))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise _error(where, _EXPECTED, repr(text[:80])) from error
    paths = dict.fromkeys(_path(n) for n in nodes if isinstance(n, ast.Name | ast.Attribute))
    literals = dict.fromkeys(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return Expression(text, where, tuple(paths), tuple(literals), tree)


def _error(where: str, expected: str, got: str, fix: str | None = None) -> SchemaError:
    return SchemaError(
        "schema.expression", f"{where}: the expression cannot be read", expected=expected, got=got, fix=fix
    )


def _path(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_path(node.value)}.{node.attr}"
    assert isinstance(node, ast.Name)
    return node.id


def _checked(node: ast.expr, where: str) -> Iterator[ast.expr]:
    """The node and those below it, paths as one; raises at the first that is not allowed."""
    yield node
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, int | float | str):
            raise _error(where, "a number or 'text'", repr(node.value))
        return
    for child in _children(node, where):
        yield from _checked(child, where)


def _children(node: ast.expr, where: str) -> list[ast.expr]:
    if isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node)):
        return []
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Not):
        return [node.operand]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.Compare) and all(type(op) in _COMPARE or isinstance(op, ast.In) for op in node.ops):
        members = [r for op, r in zip(node.ops, node.comparators, strict=True) if isinstance(op, ast.In)]
        if all(isinstance(m, ast.Tuple | ast.List) and m.elts for m in members):
            plain = [r for r in node.comparators if r not in members]
            return [node.left, *plain, *(e for m in members if isinstance(m, ast.Tuple | ast.List) for e in m.elts)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _arguments(node, node.func.id, where)
    raise _error(where, _EXPECTED, ast.unparse(node)[:80])


def _is_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node.value))


def _arguments(node: ast.Call, name: str, where: str) -> list[ast.expr]:
    if name not in FUNCTIONS:
        raise _error(where, " or ".join(FUNCTIONS), f"{name}()", did_you_mean(name, FUNCTIONS))
    least, greatest = FUNCTIONS[name]
    if len(node.args) < least or (greatest is not None and len(node.args) > greatest):
        count = f"{least} or more" if greatest is None else str(least)
        raise _error(where, f"{count} argument(s) of {name}()", str(len(node.args)))
    if name == "date":
        _day(node, where)
    return list(node.args)


def _day(node: ast.Call, where: str) -> float:
    literal = node.args[0]
    try:
        if isinstance(literal, ast.Constant) and isinstance(literal.value, str):
            return float((dt.date.fromisoformat(literal.value) - _EPOCH).days)
    except ValueError:
        pass
    raise _error(where, "date('YYYY-MM-DD')", ast.unparse(node)[:80])


def evaluate(expression: Expression, resolve: Resolve) -> Array:
    """The value for every row.

    Args:
        expression: From `parse`.
        resolve: Path → column: float64 numbers (dates as days since 1970-01-01, truth as 0 and 1) or an array of str.

    Returns:
        An array of float64, bool or str; zero-dimensional where the expression reads no path. Division by zero and
        the like give inf and nan, which the caller must refuse.

    >>> evaluate(parse("max(a, 2) ** 2"), lambda path: np.array([1.0, 3.0])).tolist()
    [4.0, 9.0]
    """
    with np.errstate(all="ignore"):
        return np.asarray(_value(expression.tree, resolve, expression.where))


def _value(node: ast.expr, resolve: Resolve, where: str) -> Array:
    if isinstance(node, ast.Constant):
        return np.asarray(node.value if isinstance(node.value, str) else float(node.value))  # type: ignore[arg-type]
    if isinstance(node, ast.Name | ast.Attribute):
        return resolve(_path(node))
    if isinstance(node, ast.BinOp):
        return _arithmetic(node, _value(node.left, resolve, where), _value(node.right, resolve, where), where)
    if isinstance(node, ast.UnaryOp):
        operand = _value(node.operand, resolve, where)
        if isinstance(node.op, ast.Not):
            return ~_truth(operand)
        return -_number(operand, where) if isinstance(node.op, ast.USub) else _number(operand, where)
    if isinstance(node, ast.BoolOp):
        join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        result = _truth(_value(node.values[0], resolve, where))
        for other in node.values[1:]:
            result = join(result, _truth(_value(other, resolve, where)))
        return result
    if isinstance(node, ast.Compare):
        return _comparison(node, resolve, where)
    assert isinstance(node, ast.Call)
    return _call(node, resolve, where)


def _arithmetic(node: ast.BinOp, left: Array, right: Array, where: str) -> Array:
    a, b = _number(left, where), _number(right, where)
    operator = _BINARY[type(node.op)]
    if operator == "+":
        return a + b
    if operator == "-":
        return a - b
    if operator == "*":
        return a * b
    return elementary.power(a, b) if operator == "**" else np.divide(a, b)


def _comparison(node: ast.Compare, resolve: Resolve, where: str) -> Array:
    left = _value(node.left, resolve, where)
    result = np.ones((), dtype=np.bool_)
    for op, right in zip(node.ops, node.comparators, strict=True):
        if isinstance(op, ast.In):
            assert isinstance(right, ast.Tuple | ast.List)
            step = np.zeros((), dtype=np.bool_)
            for element in right.elts:
                step = step | _equal_kind(np.equal, left, _value(element, resolve, where), where)
        else:
            value = _value(right, resolve, where)
            step, left = _equal_kind(_COMPARE[type(op)], left, value, where), value
        result = result & step
    return result


def _equal_kind(compare: Callable[[Array, Array], Array], left: Array, right: Array, where: str) -> Array:
    if (left.dtype.kind == "U") != (right.dtype.kind == "U"):
        raise _error(where, "two numbers or two texts to compare", "a text and a number")
    return compare(left, right)


def _call(node: ast.Call, resolve: Resolve, where: str) -> Array:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if name == "date":
        return np.asarray(_day(node, where))
    values = [_value(argument, resolve, where) for argument in node.args]
    if name == "if_":
        return np.where(_truth(values[0]), *_same(values[1], values[2]))
    numbers = [_number(value, where) for value in values]
    if name in {"min", "max"}:
        result = numbers[0]
        for other in numbers[1:]:
            result = np.minimum(result, other) if name == "min" else np.maximum(result, other)
        return result
    if name == "year":
        return year_of(numbers[0])
    simple: dict[str, Callable[[Array], Array]] = {
        "abs": np.abs, "sqrt": np.sqrt, "floor": np.floor, "log": elementary.log, "exp": elementary.exp,
    }  # fmt: skip
    return np.asarray(simple[name](numbers[0]))


def _same(a: Array, b: Array) -> tuple[Array, Array]:
    if a.dtype.kind == "U" and b.dtype.kind == "U":
        return a, b
    return a.astype(np.float64), b.astype(np.float64)


def _number(value: Array, where: str) -> NDArray[np.float64]:
    if value.dtype.kind == "U":
        raise _error(where, "a number", "a text")
    return value.astype(np.float64, copy=False)


def _truth(value: Array) -> NDArray[np.bool_]:
    return value if value.dtype.kind == "b" else np.asarray(value != 0)


def year_of(days: Array) -> NDArray[np.float64]:
    """The calendar years of days since 1970-01-01; nan stays nan."""
    known = np.where(np.isfinite(days), days, 0.0)
    years = known.astype(np.int64).astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    return np.where(np.isfinite(days), years.astype(np.float64), np.nan)


def kind_of(expression: Expression, path_kind: Callable[[str], Kind]) -> Kind:
    """What the expression gives; a date is not a year, and text is not a number.

    Args:
        expression: From `parse`.
        path_kind: Path → what it holds.

    Raises:
        SchemaError: Where kinds are mixed.
    """
    return _kind(expression.tree, path_kind, expression.where)


def _kind(node: ast.expr, path_kind: Callable[[str], Kind], where: str) -> Kind:
    def of(child: ast.expr, *allowed: Kind) -> Kind:
        found = _kind(child, path_kind, where)
        if allowed and found not in allowed:
            raise _error(where, " or ".join(allowed), f"{found} `{ast.unparse(child)[:60]}`", _hint(found, allowed))
        return found

    if isinstance(node, ast.Constant):
        return "text" if isinstance(node.value, str) else "number"
    if isinstance(node, ast.Name | ast.Attribute):
        return path_kind(_path(node))
    if isinstance(node, ast.BinOp):
        return _arithmetic_kind(node, of)
    if isinstance(node, ast.UnaryOp):
        operand = of(node.operand, "number", "boolean")
        return "boolean" if isinstance(node.op, ast.Not) else operand
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            of(value, "boolean", "number")
        return "boolean"
    if isinstance(node, ast.Compare):
        left = of(node.left)
        for right in node.comparators:
            for side in right.elts if isinstance(right, ast.Tuple | ast.List) else [right]:
                of(side, *(("number", "boolean") if left in {"number", "boolean"} else (left,)))
        return "boolean"
    assert isinstance(node, ast.Call)
    return _call_kind(node, of)


def _arithmetic_kind(node: ast.BinOp, of: Callable[..., Kind]) -> Kind:
    numbers: tuple[Kind, ...] = ("number", "boolean")
    if isinstance(node.op, ast.Add | ast.Sub):
        left = of(node.left, *numbers, "date")
        # Two dates may be subtracted, never added; only an addition may have its date on the right alone.
        dated = isinstance(node.op, ast.Sub) == (left == "date")
        right = of(node.right, *numbers, *(("date",) if dated else ()))
        return "date" if (left == "date") != (right == "date") else "number"
    of(node.left, *numbers)
    of(node.right, *numbers)
    return "number"


def _call_kind(node: ast.Call, of: Callable[..., Kind]) -> Kind:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if name == "date":
        return "date"
    if name == "year":
        of(node.args[0], "date")
        return "number"
    if name in {"min", "max", "if_"}:
        values = node.args[1:] if name == "if_" else node.args
        if name == "if_":
            of(node.args[0], "boolean", "number")
        first: Kind = of(values[0])
        for value in values[1:]:
            of(value, *(("number", "boolean") if first in {"number", "boolean"} else (first,)))
        return first
    of(node.args[0], "number", "boolean")
    return "number"


def _hint(found: Kind, allowed: tuple[Kind, ...]) -> str | None:
    return "a date is not a year: use year(…)" if found == "date" and "number" in allowed else None

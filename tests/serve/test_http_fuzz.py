"""Requests drawn from the OpenAPI files, and spoiled ones, bring no answer of 500 or more."""

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

BOUNDED = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def values(schema: dict[str, Any], components: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a schema allows, or often anything at all."""
    if "$ref" in schema:
        schema = components[schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        return st.one_of([values(each, components) for each in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | ANYTHING
    kind = schema.get("type")
    if kind == "object":
        properties = {name: values(each, components) for name, each in schema.get("properties", {}).items()}
        needed = {name: properties.pop(name) for name in schema.get("required", []) if name in properties}
        return st.fixed_dictionaries(needed, optional=properties) if needed or properties else ANYTHING
    if kind == "array":
        return st.lists(values(schema["items"], components), max_size=4)
    simple = {"string": st.text(max_size=40), "integer": st.integers(), "number": st.floats(), "boolean": st.booleans()}
    return simple.get(kind, ANYTHING) | ANYTHING


def operations(spec: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method, path, operation)
        for path, entry in spec["paths"].items()
        for method, operation in entry.items()
        if method in ("get", "post", "delete")
    ]


@st.composite
def requests(draw: st.DrawFn, spec: dict[str, Any]) -> dict[str, Any]:
    """A request to some operation of a description."""
    components = spec.get("components", {}).get("schemas", {})
    method, path, operation = draw(st.sampled_from(operations(spec)))
    query = {}
    for parameter in operation.get("parameters", []):
        value = draw(values(parameter["schema"], components))
        if parameter["in"] == "path":
            small = draw(st.booleans())
            text = str(draw(st.integers(0, 3))) if small else str(value)
            path = path.replace(f"{{{parameter['name']}}}", quote(text, safe="", errors="replace") or "0")
        elif parameter["in"] == "query" and (parameter.get("required") or draw(st.booleans())):
            query[parameter["name"]] = str(value).encode("utf-8", "replace")
    body = None
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        body = json.dumps(draw(values(schema, components)), default=str).encode()
        if draw(st.integers(0, 9)) == 0:
            body = draw(st.binary(max_size=30))
    return {"method": method.upper(), "url": path, "params": query, "content": body}


@pytest.fixture(scope="module")
def specs(open_server):
    return [open_server.nobody.get(path).json() for path in ("/openapi.json", "/api/openapi.json")]


def test_no_request_brings_a_500(open_server, specs):
    seen: set[int] = set()

    @BOUNDED
    @given(st.one_of([requests(spec) for spec in specs]), st.booleans())
    def ask(request: dict[str, Any], as_trainer: bool) -> None:
        client: httpx.Client = open_server.trainer if as_trainer else open_server.nobody
        reply = client.request(**request)
        seen.add(reply.status_code)
        assert reply.status_code < 500, reply.text
        if reply.status_code >= 400:
            assert set(reply.json()["error"]) == {"code", "message", "expected", "got", "fix"}

    ask()
    assert {200, 400, 403, 404} <= seen  # so that it got past the first checks


def test_no_path_below_the_site_brings_a_500(open_server):
    @BOUNDED
    @given(st.text(max_size=60), st.text(max_size=20))
    def ask(path: str, query: str) -> None:
        address = f"/site/{quote(path, errors='replace')}"
        reply = open_server.nobody.get(address, params={"q": query.encode("utf-8", "replace")})
        assert reply.status_code in (200, 400, 404)

    ask()

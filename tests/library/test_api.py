from __future__ import annotations

import re
import shutil

import pytest
from jsonschema import Draft202012Validator

from lycosa.collection.labels import labels_in
from lycosa.library.context import LibraryContext
from lycosa.library.routes.api import openapi, routes
from lycosa.library.served_collections import ServedCollections
from tests.library import sample_library


def test_the_api_says_what_the_pages_say(browser):
    """Search, page, summary, timeline, map, browse and status as JSON."""
    found = browser.get("/api/c/storm/search?q=river").json()
    assert (found["total"], found["hits"][0]["title"]) == (1, "Storm hits Rome")
    page = browser.get("/api/c/storm/page/1").json()
    assert page["evidence"]["topic"] == {"kind": "score", "value": 0.71, "words": 12}
    assert browser.get("/api/c/storm/timeline").json()[0] == ["2024-05-02", 1]
    assert {spot["name"] for spot in browser.get("/api/c/storm/map").json()} == {"Rome", sample_library.EVIL}
    assert browser.get("/api/c/storm/browse/genres").json()[0][1] == 1
    assert ["Ann Lee", 1] in browser.get("/api/c/storm/browse/people").json()
    assert "Ann Lee" in page["people"]
    assert browser.get("/api/c/storm/status").json()["running"] is False
    assert browser.get("/api/c/storm/summary").json()["sources"] == [["news.example", 2]]
    assert browser.get("/api/collections").json() == ["storm"]
    assert (
        browser.get(f"/api/c/storm/why?url={sample_library.SEED}").json()["verdict"]
        == "Fetched and judged relevant."
    )
    assert browser.get("/api/c/storm/why?url=nonsense").status_code == 400
    assert browser.get("/api/c/storm/labels").json() == []


def test_every_address_is_described(browser, storm):
    """The description names exactly the addresses and methods that there are, each parameter of a path included."""
    described = browser.get("/api/openapi.json").json()
    assert described == openapi()
    there = {
        (re.sub(r":\w+}", "}", f"/api{route.path}"), method.lower())
        for route in routes(
            LibraryContext(ServedCollections([storm]), sample_library.KEYS, sample_library.ORIGINS)
        )
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert {(path, method) for path, methods in described["paths"].items() for method in methods} == there
    for path, methods in described["paths"].items():
        for operation in methods.values():
            named = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))


def test_the_description_is_openapi(browser):
    """OpenAPI 3.1 as far as it goes: summaries, described answers, known security, valid schemas."""
    described = browser.get("/api/openapi.json").json()
    assert described["openapi"].startswith("3.1.")
    assert {"title", "version"} <= described["info"].keys()
    assert all(
        name in described["components"]["securitySchemes"] for one in described["security"] for name in one
    )
    for methods in described["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert all(answer["description"] for answer in operation["responses"].values())
            schemas = [parameter["schema"] for parameter in operation["parameters"]]
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            schemas += [body["content"]["application/json"]["schema"] for body in bodies if "content" in body]
            for schema in schemas:
                Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", [path for path, methods in openapi()["paths"].items() if "get" in methods])
def test_answers_are_of_the_kind_described(browser, path):
    """Every address that is read answers with an object or an array, as the description says."""
    operation = openapi()["paths"][path]["get"]
    answer = browser.get(path.format(name="storm", id=1, field="places"), params={"url": sample_library.SEED})
    assert answer.status_code == 200
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    Draft202012Validator(schema).validate(answer.json())


def test_a_program_may_use_the_token(storm):
    """With a bearer token no cookie is needed."""
    with sample_library.client(storm, let_in=False) as client:
        assert client.get(
            "/api/collections", headers={"Authorization": f"Bearer {sample_library.KEYS.token}"}
        ).json() == ["storm"]
        assert client.get("/api/collections", headers={"Authorization": "Bearer no"}).status_code == 401


def test_labels_through_the_api(storm, tmp_path):
    """A program can label, and is told what it did wrong."""
    own = tmp_path / "storm"
    shutil.copytree(storm, own)
    headers = {"Authorization": f"Bearer {sample_library.KEYS.token}"}
    with sample_library.client(own, let_in=False) as client:
        assert client.post(
            "/api/c/storm/label", json={"id": 1, "relevant": True}, headers=headers
        ).json() == {"ok": True}
        assert len(labels_in(own)) == 1
        for wrong in (b"[]", b"no", b'{"id": "1"}', b'{"id": 1, "relevant": "yes"}', b"[" * 20_000):
            assert client.post("/api/c/storm/label", content=wrong, headers=headers).status_code == 400
        said = client.post("/api/c/storm/control", json={"do": "pause"}, headers=headers).json()
        assert said["ok"] is False


@pytest.mark.parametrize(
    "path", ["/api/c/storm/page/99", "/api/c/storm/browse/x", "/api/c/no/status", "/api/none"]
)
def test_errors_are_json_too(browser, path):
    """What is not there is said in JSON."""
    answer = browser.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]

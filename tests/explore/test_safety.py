"""Who may ask, and who may not."""

from __future__ import annotations

import pytest

IRIS = {"view": {"data": "iris"}, "parameters": {}}


def code(response):
    return response.json()["error"]["code"]


def test_a_token_works_once(page):
    token = page.server.keys.token()
    login = {"path": "/api/login", "headers": {"X-Sepal": "1"}}
    first = page.client.post(login["path"], json={"token": token}, headers=login["headers"])
    assert first.json()["bearer"] == page.bearer
    assert first.json()["start"] == page.get("/api/start").json()
    again = page.client.post(login["path"], json={"token": token}, headers=login["headers"])
    assert (again.status_code, code(again)) == (401, "unauthorized")
    for wrong in ("", None, 3, token[:-1], ["x"]):
        assert page.client.post(login["path"], json={"token": wrong}, headers=login["headers"]).status_code == 401


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", "Bearer x", "Basic {bearer}", "bearer {bearer}", "Bearer {bearer}x"]
)
def test_nothing_is_answered_without_the_bearer(page, given):
    headers = {"X-Sepal": "1"} | ({} if given is None else {"Authorization": given.format(bearer=page.bearer)})
    for path in ("/api/start", "/api/parameters", "/api/jobs", "/api/jobs/j1", "/api/jobs/j1/answer"):
        assert page.client.get(path, headers=headers).status_code == 401, path
    for path in ("/api/do/data.rows", "/api/jobs", "/api/code", "/api/session", "/api/session/open", "/api/page"):
        assert page.client.post(path, json=IRIS, headers=headers).status_code == 401, path
    assert page.client.delete("/api/jobs/j1", headers=headers).status_code == 401


HOSTS = [
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:8766",
    "127.0.0.1:8765.evil.example",
    "LOCALHOST:8765",
    "[::1]:8765",
    "",
]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", ["/", "/api/start", "/page/index.html"])
def test_only_the_own_host_is_answered(page, host, path):
    response = page.client.get(path, headers=page.headers | {"Host": host})
    assert (response.status_code, code(response)) == (421, "wrong_host")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:8766", "https://127.0.0.1:8765", ""]
)
def test_other_origins_are_refused(page, origin):
    response = page.get("/api/start", Origin=origin)
    assert (response.status_code, code(response)) == (403, "forbidden")
    assert page.get("/api/start", Origin="http://127.0.0.1:8765").status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x"])
def test_other_sites_are_refused(page, site):
    assert page.get("/api/start", **{"Sec-Fetch-Site": site}).status_code == 403
    assert page.client.get("/", headers={"Sec-Fetch-Site": site}).status_code == 403
    assert page.get("/api/start", **{"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_only_json_with_the_own_header_is_taken(page):
    bare = {"Authorization": f"Bearer {page.bearer}"}
    assert page.client.get("/api/start", headers=bare).status_code == 415
    assert page.client.post("/api/do/data.rows", json=IRIS, headers=bare).status_code == 415
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""):
        response = page.post("/api/do/data.rows", IRIS, **{"Content-Type": kind})
        assert (response.status_code, code(response)) == (415, "not_json"), kind
    headers = page.headers | {"Content-Type": "text/csv"}
    assert page.client.post("/api/upload?name=a.csv", content=b"a,b\n1,2\n", headers=headers).status_code == 415


def test_large_bodies_are_refused_whether_they_say_so_or_not(open_page):
    page = open_page(upload_bytes=1000)
    rows = b"a,class\n" + b"1,x\n2,y\n" * 200
    assert (page.upload("a.csv", rows).status_code, page.server.shelf.files) == (413, {})
    headers = page.headers | {"Content-Type": "application/octet-stream"}

    def pieces():
        yield from (rows[at : at + 100] for at in range(0, len(rows), 100))

    assert page.client.post("/api/upload?name=a.csv", content=pieces(), headers=headers).status_code == 413
    assert page.upload("a.csv", rows[:800]).status_code == 200
    huge = page.client.post(
        "/api/do/data.rows", content=b" " * (9 * 2**20), headers=page.headers | {"Content-Type": "application/json"}
    )
    assert (huge.status_code, code(huge)) == (413, "too_large")


def test_every_answer_is_sealed(page):
    for response in (
        page.client.get("/"),
        page.get("/api/start"),
        page.get("/api/none"),
        page.client.get("/api/start"),
    ):
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert "access-control-allow-origin" not in response.headers
    assert page.get("/api/start").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/page/../_routes.py",
        "/page/%2e%2e/_routes.py",
        "/page/..%2f_routes.py",
        "/page//etc/passwd",
        "/page/",
        "/etc/passwd",
    ],
)
def test_only_files_of_the_page_are_served(page, path):
    assert page.client.get(path).status_code == 404


def test_no_path_from_the_browser_is_opened(page, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a,class\n1,x\n2,y\n")
    for data in (str(secret), f"file://{secret}", "../secret.csv", "file-1"):
        response = page.do("data.rows", {"data": data})
        assert (response.status_code, code(response)) == (400, "wrong")
    for name in ("data", "test"):
        response = page.post(
            "/api/jobs", {"action": "neighbors.curve", "view": {"data": "iris"}, "parameters": {name: str(secret)}}
        )
        if response.status_code == 202:
            job = response.json()["job"]
            while page.get(f"/api/jobs/{job}?wait=5").json()["state"] in ("waiting", "running"):
                pass
            assert code(page.get(f"/api/jobs/{job}/answer")) == "wrong"
    uploaded = page.upload("../../evil.csv", b"a,class\n1,x\n2,y\n").json()
    assert uploaded["name"] == "evil.csv"


def test_a_model_file_is_not_unpickled(page):
    import pickle

    response = page.upload("model.csv", pickle.dumps({"a": 1}))
    assert (response.status_code, code(response)) == (400, "wrong")


def test_read_only_takes_and_saves_nothing(open_page):
    page = open_page(read_only=True)
    assert page.get("/api/start").json()["read_only"] is True
    assert code(page.upload("a.csv", b"a,class\n1,x\n2,y\n")) == "read_only"
    assert code(page.post("/api/session", {"view": {"data": "iris"}, "actions": []})) == "read_only"
    assert page.do("data.rows", {"data": "iris"}).status_code == 200

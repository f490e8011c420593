"""A small collection with everything in it, hostile pages too, and a client that has been let in."""

from __future__ import annotations

import threading
from pathlib import Path

import httpx2 as httpx
from starlette.testclient import TestClient

from lycosa.collection.writer import CollectionWriter
from lycosa.library import app, replay
from lycosa.library.access import AccessKeys, Origins
from lycosa.library.served_collections import ServedCollections
from lycosa.values import Category, Link, PageEntity, PagePlace, Score
from tests.collection.records import NOW, fetched, link_to, page_record

HOST, PORT, REPLAY_PORT = "127.0.0.1", 8765, 8766
KEYS = AccessKeys("a-token-of-the-tests", "")
ORIGINS = Origins(HOST, PORT, REPLAY_PORT)
EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>'
SPEC = 'name = "storm"\n[topic]\ndescription = "Storms & <b>floods</b>"\nkeywords = ["storm"]\n'
SEED = "http://news.example/storm"


def make(directory: Path) -> Path:
    """Three judged pages of two sources, one of them hostile in title, text, URL and link."""
    rome = PagePlace("Rome", "Rome", "city", 41.9, 12.5, "IT", "", 3)
    evil_place = PagePlace(EVIL, EVIL, "city", 10.0, 10.0, "XX", "", 1)
    with CollectionWriter.create_or_open(directory, SPEC, name="storm") as collection:
        with collection.commit():
            collection.catalogue.begin_run(NOW)
            collection.save(
                page_record(
                    SEED,
                    title="Storm hits Rome",
                    text="A storm hit the city of Rome on Monday. Trees fell in the streets of the old town and the river rose by two metres.",
                    language="en",
                    date="2024-05-02",
                    words=17,
                    evidence={"topic": Score(0.71, words=12), "genre": Category("news", 0.9)},
                    link_evidence={"topic": (0.1, 0.2, 0.3)},
                    places=(rome,),
                    entities=(
                        PageEntity("Ann Lee", "person", 2),
                        PageEntity("Tiber Bridge Trust", "organisation"),
                    ),
                    simhash=5,
                )
            )
        child = Link(
            f"{SEED}/1", link_to(f"{SEED}/1").key, anchor=EVIL, depth=1, parent=link_to(SEED).key, position=1
        )
        with collection.commit():
            collection.save(
                page_record(
                    f"{SEED}/1",
                    fetched=fetched(f"{SEED}/1", body=EVIL_PAGE, link=child, at=NOW + 5),
                    title=EVIL,
                    text=f"storm {EVIL} \x02 \x03 end",
                    language=EVIL[:20],
                    date="2024-06-11",
                    words=5,
                    evidence={EVIL: Score(0.5, EVIL), "genre": Category(EVIL, 0.2)},
                    places=(evil_place,),
                    entities=(PageEntity(EVIL, "person"), PageEntity(EVIL, "organisation")),
                )
            )
        with collection.commit():
            dull = page_record(
                "http://dull.example/",
                relevant=False,
                title="Cooking",
                text="A soup of leeks.",
                language="en",
            )
            collection.save(dull)
    return directory


EVIL_PAGE = b"""<html><head><base href="http://evil.example/"><script>fetch('http://127.0.0.1:8765/api/collections')</script>
<meta http-equiv="refresh" content="0;url=http://evil.example/"><style>body{background:url(http://evil.example/x.png)}</style></head>
<body onload="alert(1)"><h1>evil page</h1><a href="javascript:alert(1)">a</a><a href="/storm">b</a><a id="home" href="http://news.example/storm">the first page</a>
<iframe src="http://evil.example"></iframe><form action="http://127.0.0.1:8765/c/storm/label"><button formaction="http://e">x</button></form>
<img src="/pic.png" onerror="alert(2)"><svg><a xlink:href="javascript:alert(3)"></a></svg></body></html>"""


def client(
    directory: Path,
    *,
    password: str = "",
    origins: Origins = ORIGINS,
    let_in: bool = True,
    is_public: bool = False,
    closing: threading.Event | None = None,
) -> TestClient:
    """A browser at the library's own address."""
    keys = AccessKeys(KEYS.token, password)
    served = ServedCollections([directory])
    application = app.application(served, keys, origins, is_public=is_public, closing=closing)
    browser = TestClient(application, base_url=f"http://{HOST}:{PORT}", follow_redirects=False)
    if let_in:
        browser.cookies.set(f"lycosa-{PORT}", keys.session())
    return browser


def replayer(directory: Path) -> TestClient:
    """A browser at the other origin."""
    application = replay.application(ServedCollections([directory]), KEYS, ORIGINS)
    return TestClient(application, base_url=f"http://{HOST}:{REPLAY_PORT}", follow_redirects=False)


def post(browser: TestClient, path: str, **form: str) -> httpx.Response:
    """A form of our own, sent by our own page."""
    headers = {"Origin": f"http://{HOST}:{PORT}"}
    return browser.post(path, data={"form_key": KEYS.form_key(), **form}, headers=headers)

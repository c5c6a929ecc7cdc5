"""The site: pages as HTML with working links, harmless whatever a page says, and silent about its labels."""

import re
from contextlib import closing
from html.parser import HTMLParser
from http.client import HTTPConnection

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldgen import World
from worldgen.serve.http.site import _markdown
from worldgen.serve.http.visit import Visit

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt&colon;alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:x)",
    "[a](//evil.example/x)",
    "[a](https://evil.com/x?q=1)",
    "[a](mailto:a@b.c)",
    "[a](file:///etc/passwd)",
    "![a](https://evil.com/x.png)",
    "<https://evil.com/>",
    "<a href='javascript:alert(1)' onclick='x'>a</a>",
    '[a](https://a.example/"onmouseover=alert(1))',
    '[a](https://a.example/ "t\\" onmouseover=\\"alert(1)")',
    "<style>body{background:url(https://evil.com)}</style>",
    "[a][b]\n\n[b]: javascript:alert(1)",
    "| a |\n|:-:|\n| <script>1</script> |",
    "```html\n<script>1</script>\n```",
    "<svg/onload=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "# <iframe src='https://evil.com'></iframe>",
    "[a](http://[::1)",
    "[a](https://[evil]/x)",
    "[a](https://a.example/../../../episodes)",
    "[a](https://a.example/x/%2E%2e/..%2f.%2e/tasks)",
    "[a](https://../../tasks)",
    "[a](https://./x)",
    "[a](https://%2e%2e/tasks)",
    "[a](https://_style/x)",
    "[a](<https://a.example/\\..\\..\\..\\tasks>)",
]


class Elements(HTMLParser):
    """The elements of a text with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def links(text: str) -> list[str]:
    return [attrs["href"] for tag, attrs in Elements(text).found if tag == "a" and "href" in attrs]


def arrives(href: str) -> str:
    """The path to which a browser follows a link: dots and backslashes read as browsers read them."""
    kept: list[str] = []
    for segment in re.sub("(?i)%2e", ".", href.replace("\\", "/")).partition("?")[0].split("/")[1:]:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept)


def test_a_browser_would_leave():
    assert arrives("/site/a.example/..%2F/%2e%2E/../..\\tasks") == "/tasks"
    assert arrives("/site/a.example/./p?q=/../") == "/site/a.example/p"


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("prefix", ["", "/w/x"])
def test_hostile_bodies_come_out_harmless(text, prefix):
    html = _markdown(f"# Title\n\nBefore.\n\n{text}", "https://a.example/p", Visit("/", False, True, prefix=prefix))
    found = Elements(html).found
    assert {tag for tag, _ in found} <= {"h1", "p", "a", "table", "thead", "tbody", "tr", "th", "td", "pre", "code"}
    assert {name for _, attrs in found for name in attrs} <= {"href", "rel"}
    assert all(arrives(href).startswith(f"{prefix}/site/") for href in links(html))
    assert "Before." in html


def test_a_page_is_shown_whole_and_its_links_lead_on(open_server, tiny_world):
    with World.load(tiny_world) as world:
        page = next(page for page in world.pages.values() if len(page.links) > 3)
        titles = {url: world.pages[url].title for url in (link.url for link in page.links) if url in world.pages}
    reply = open_server.nobody.get("/site/" + page.url.split("://")[1])
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert "script" not in reply.headers["content-security-policy"]
    assert titles
    for url, title in titles.items():
        path = "/site/" + url.split("://")[1]
        assert path in links(reply.text)
        assert title.split()[0] in open_server.nobody.get(path).text
    sheet = re.search(r'href="(/site/_style/[a-z.]+)"', reply.text)
    assert sheet is not None
    assert open_server.nobody.get(sheet[1]).headers["content-type"].startswith("text/css")


def test_sites_differ_in_layout_and_one_site_does_not(open_server, tiny_world):
    with World.load(tiny_world) as world:
        urls = [url for url, _ in world.addresses(limit=100_000)]
    looks: dict[str, set[str]] = {}
    for url in urls[::7]:
        text = open_server.nobody.get("/site/" + url.split("://")[1]).text
        style, layout = re.search(r"_style/([a-z]+)", text), re.search(r'<body class="([a-z]+)"', text)
        assert style is not None
        assert layout is not None
        looks.setdefault(url.split("/")[2], set()).add(f"{style[1]} {layout[1]}")
    assert {len(seen) for seen in looks.values()} == {1}
    assert len(set().union(*looks.values())) > 1


def test_a_page_says_on_the_site_what_the_tool_says_and_no_label(open_server, tiny_world):
    with World.load(tiny_world) as world:
        every = [world.open(url) for url, _ in world.addresses(limit=100_000)]
    kinds = ("sound", "stale", "mistaken", "haystack")
    pages = {kind: next((page for page in every if page.kind == kind), None) for kind in kinds}
    shapes = set()
    for page in pages.values():
        if page is None:
            continue
        text = open_server.nobody.get("/site/" + page.url.split("://")[1]).text
        outside = re.sub(r"(?s)<h1>.*?</(main|article)>", "", text)
        assert not re.search(r"stale|mistaken|haystack|sound\b", outside)
        shapes.add(tuple(sorted({name for _, attrs in Elements(text).found for name in attrs})))
    assert len(pages) > 2
    assert all("data-kind" not in shape for shape in shapes)


def test_the_hosts_are_listed_for_the_open_profile_alone(open_server, guarded_server):
    hosts = links(open_server.nobody.get("/site/").text)
    assert len(hosts) > 5
    below = links(open_server.nobody.get(hosts[-1]).text)
    assert len(below) > 2
    closed = guarded_server.agent.get("/w/river-ferries-1/site/")
    assert closed.status_code == 200
    assert links(closed.text) == ["/w/river-ferries-1/site/"]
    assert guarded_server.agent.get(f"/w/river-ferries-1{hosts[-1]}").status_code == 404


def test_a_browser_agent_searches_and_walks_within_its_episode(open_server):
    plan = {"faults": [{"kind": "truncate", "words": 50}, {"kind": "small_pages", "results": 3}]}
    id = open_server.start(perturbation=plan)["episode"]
    results = open_server.nobody.get(f"/e/{id}/site/", params={"q": "ferry line <b>"}).text
    assert "<b>" not in results
    found = [href for href in links(results) if href.count("/") > 4]
    assert len(found) == 3
    assert all(href.startswith(f"/e/{id}/site/") for href in found)
    onward = next(href for href in links(results) if href.startswith("?"))
    second = open_server.nobody.get(f"/e/{id}/site/{onward}").text
    assert not set(found) & set(links(second))
    first = open_server.nobody.get(found[0]).text
    assert "?part=2" in links(first)
    assert open_server.nobody.get(f"{found[0]}?part=2").status_code == 200
    steps = open_server.trainer.get(f"/episodes/{id}/trajectory").json()["steps"]
    assert [step["name"] for step in steps] == ["web_search", "web_search", "web_extractor", "web_extractor"]


def test_what_is_not_there_is_a_page_too(open_server):
    reply = open_server.nobody.get("/site/nowhere.example/<script>")
    assert reply.status_code == 404
    assert "<script>" not in reply.text
    assert reply.headers["content-type"].startswith("text/html")
    assert open_server.nobody.get("/site/_style/../../app.py").status_code == 404
    assert open_server.nobody.get("/e/none/site/").status_code == 404


ODD = st.text(st.sampled_from("[]:@%2e./\\?#&=a1-_;|{}^~`'\"<"), max_size=30)
BOUNDED = settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@BOUNDED
@given(ODD)
def test_no_link_leads_off_the_site(odd):
    for text in (f"[a](<https://{odd}>)", f"[a](<https://a.example/{odd}>)", f"[a](<{odd}>)", f"https://{odd}"):
        html = _markdown(text, "https://a.example/p/q", Visit("/", False, True))
        assert all(arrives(href).startswith("/site/") for href in links(html)), html


def test_every_address_below_the_site_is_a_page(open_server):
    host = open_server.url.removeprefix("http://")
    with closing(HTTPConnection(host, timeout=20)) as connection:

        def status(address: str) -> int:
            connection.request("GET", address)
            reply = connection.getresponse()
            text = reply.read().decode()
            assert (reply.getheader("content-type") or "").startswith("text/html"), (address, text)
            assert all(arrives(href).startswith("/site/") for href in links(text) if href.startswith("/")), address
            return reply.status

        assert status("/site/[::1/x") == 404
        assert status("/site/../x") == 404

        @BOUNDED
        @given(ODD)
        def ask(odd: str) -> None:
            address = "/site/" + odd.replace("#", "")
            if not address.startswith("/site/_style/"):
                assert status(address) in (200, 400, 404), address

        ask()


def test_every_page_has_a_first_part(open_server, tiny_world):
    with World.load(tiny_world) as world:
        path = "/site/" + next(iter(world.pages)).split("://")[1]
    whole = open_server.nobody.get(path)
    first = open_server.nobody.get(f"{path}?part=1")
    assert (first.status_code, first.text) == (200, whole.text)

"""Fetching from a real server on loopback: redirects, limits, robots, sitemaps, conditional requests."""

import gzip
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import brotli
import pytest

from esdedup.document import Document, Skipped
from esdedup.readers import ReadOptions, WebOptions, read
from esdedup.readers.source import Unreadable
from esdedup.readers.web import fetch_all
from esdedup.readers.web.client import WebClient
from esdedup.readers.web.hosts import refuse_private, refuse_private_address
from esdedup.readers.web.known import Known
from esdedup.readers.web.sitemap import parse_sitemap, sitemap_urls

PAGE = "<title>Tide</title><p>The tide table for the harbour hangs in the office, beside the barometer.</p>"
TEXT = "The tide table for the harbour hangs in the office, beside the barometer."

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """A site whose pages are functions of the request's headers; it counts what it was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, Callable[[dict[str, str]], Answer]] = {}
        self.asked: list[str] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    def page(self, path: str, body: bytes | str = PAGE, status: int = 200, **headers: str) -> str:
        content = body.encode() if isinstance(body, str) else body
        named = {"Content-Type": "text/html; charset=utf-8"} | {n.replace("_", "-"): v for n, v in headers.items()}
        self.pages[path] = lambda _: (status, named, content)
        return self.url + path

    url = ""


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with site.lock:
                site.asked.append(self.path)
                site.at_once += 1
                site.most_at_once = max(site.most_at_once, site.at_once)
            missing: Callable[[dict[str, str]], Answer] = lambda _: (404, {}, b"")  # noqa: E731
            status, headers, body = site.pages.get(self.path, missing)(dict(self.headers.items()))
            with site.lock:
                site.at_once -= 1
            try:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                pass  # the client had enough

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(*urls: str, max_chars: int = 10_000, **web: object) -> list[Document | Skipped]:
    options = WebOptions(**{"allow_private": True, "timeout": 5.0, **web})  # type: ignore[arg-type]
    return list(read(urls, ReadOptions(max_chars=max_chars, web=options)))


def document(*found: Document | Skipped) -> Document:
    (one,) = found
    assert isinstance(one, Document), one
    return one


def reason(*found: Document | Skipped) -> str:
    (one,) = found
    assert isinstance(one, Skipped)
    return one.reason


def test_a_page(site: Site) -> None:
    url = site.page("/tide?utm_source=x#top")
    found = document(*fetch(site.page("/tide")))
    assert (found.id, found.title, found.text) == (site.url + "/tide", "Tide", TEXT)
    assert url not in found.id


@pytest.mark.parametrize(
    ("coding", "body"),
    [("gzip", gzip.compress(PAGE.encode())), ("br", brotli.compress(PAGE.encode()))],
)
def test_compressed_answers(site: Site, coding: str, body: bytes) -> None:
    assert document(*fetch(site.page("/", body, Content_Encoding=coding))).text == TEXT


def test_plain_text_and_other_kinds(site: Site) -> None:
    plain = site.page("/a", "港口".encode("gbk"), Content_Type="text/plain; charset=gb2312")
    assert document(*fetch(plain)).text == "港口"
    assert reason(*fetch(site.page("/b", b"\x89PNG", Content_Type="image/png"))) == "image/png is not a page"
    assert reason(*fetch(site.url + "/missing")) == "status 404"


def test_redirects_give_the_page_its_last_address(site: Site) -> None:
    site.page("/old", b"", 301, Location="/newer")
    site.page("/newer", b"", 302, Location=site.page("/new"))
    assert document(*fetch(site.url + "/old")).id == site.url + "/new"
    assert "more than 10 redirects" in reason(*fetch(site.page("/round", b"", 302, Location="/round")))
    assert "no web page" in reason(*fetch(site.page("/file", b"", 302, Location="file:///etc/passwd")))


def test_canonical_addresses_are_ids(site: Site) -> None:
    page = f"<link rel=canonical href='/tide'>{PAGE}"
    assert document(*fetch(site.page("/print", page))).id == site.url + "/tide"


def test_private_addresses_are_refused(site: Site) -> None:
    url = site.page("/")
    assert "private address" in reason(*fetch(url, allow_private=False))
    assert "private address" in reason(*fetch(url.replace("127.0.0.1", "localhost"), allow_private=False))
    assert site.asked == []


def test_a_name_that_leads_elsewhere_the_second_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first look-up is deceived; whom the connection has reached is checked all the same."""
    for module in ("client", "fetch"):
        monkeypatch.setattr(f"esdedup.readers.web.{module}.refuse_private", lambda url: None)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("esdedup.readers.web.client.getproxies", dict)
    assert "private address" in reason(*fetch(site.page("/"), allow_private=False, robots=False))


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 10.1.2.3 192.168.1.1 169.254.169.254 0.0.0.0 ::1 fe80::1%eth0 fc00::1 ::ffff:10.0.0.1".split(),
)
def test_which_addresses_are_private(address: str) -> None:
    with pytest.raises(Unreadable, match="private"):
        refuse_private_address(address, "a.example")
    refuse_private_address("93.184.215.14", "a.example")
    refuse_private_address("2606:2800:220:1::1", "a.example")


def test_robots_are_kept_to_and_read_once(site: Site) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /private/*.html\n", Content_Type="text/plain")
    urls = [site.page(path) for path in ("/private/a.html", "/private/a", "/open")]
    forbidden, *allowed = fetch(*urls)
    assert isinstance(forbidden, Skipped) and "robots.txt forbids it" in forbidden.reason
    assert all(isinstance(one, Document) for one in allowed)
    assert site.asked.count("/robots.txt") == 1
    assert all(isinstance(one, Document) for one in fetch(*urls, robots=False))


def test_a_server_that_fails_over_robots_is_left_alone(site: Site) -> None:
    site.page("/robots.txt", b"", 503)
    assert "robots.txt" in reason(*fetch(site.page("/")))
    assert site.asked == ["/robots.txt"]


def test_pages_come_in_order_and_each_once(site: Site) -> None:
    def slow(_: dict[str, str]) -> Answer:
        time.sleep(0.3)
        return 200, {"Content-Type": "text/html"}, PAGE.encode()

    site.pages["/0"] = slow
    urls = [site.url + "/0", *(site.page(f"/{n}") for n in range(1, 30))]
    found = fetch(*urls, urls[3], urls[5] + "#again")
    assert [one.id for one in found if isinstance(one, Document)] == urls


def test_a_host_is_asked_a_few_things_at_a_time(site: Site) -> None:
    def slow(_: dict[str, str]) -> Answer:
        time.sleep(0.05)
        return 200, {"Content-Type": "text/html"}, PAGE.encode()

    for n in range(12):
        site.pages[f"/{n}"] = slow
    fetch(*(f"{site.url}/{n}" for n in range(12)), per_host=3)
    assert 1 < site.most_at_once <= 3


def test_large_answers_are_cut_and_slow_ones_given_up(site: Site) -> None:
    found = document(*fetch(site.page("/large", "<p>" + "word " * 100_000), max_chars=1000))
    assert len(found.text) <= 1000
    assert found.notes == ("text cut at 1,000 characters",)
    bomb = brotli.compress(b"word " * 10_000_000)
    assert len(document(*fetch(site.page("/bomb", bomb, Content_Encoding="br"), max_chars=1000)).text) <= 1000

    def never(_: dict[str, str]) -> Answer:
        time.sleep(1.5)
        return 200, {}, b""

    site.pages["/slow"] = never
    assert reason(*fetch(site.url + "/slow", timeout=0.3, robots=False)) == "no answer within 0.3 s"


def test_hosts_that_do_not_answer(site: Site) -> None:
    assert reason(*fetch("http://127.0.0.1:1/")).startswith("no answer (")
    assert reason(*fetch("http://name.invalid/", allow_private=False)).startswith("no such host name.invalid")
    assert reason(*fetch("http://[/")).startswith("not an address of the web")


def test_what_a_redirect_leads_to_is_said(site: Site) -> None:
    away = site.page("/away", "", 302, Location="http://127.0.0.1:1/page")
    assert reason(*fetch(away)).startswith("it leads to http://127.0.0.1:1/page, and there: no answer (")


def test_users_and_passwords_are_in_nothing_that_is_kept(site: Site) -> None:
    secret = site.page("/page").replace("http://", "http://me:secret@")
    found = document(*fetch(secret))
    assert (found.id, found.url, found.source) == (f"{site.url}/page",) * 3
    (missing,) = fetch(secret + "-missing")
    assert isinstance(missing, Skipped)
    assert missing.where == f"{site.url}/page-missing"


def test_a_page_without_a_date_is_the_same_whenever_it_is_fetched(site: Site) -> None:
    assert document(*fetch(site.page("/"))).date is None


def test_an_interrupt_waits_for_no_server(site: Site) -> None:
    def slow(_: dict[str, str]) -> Answer:
        time.sleep(3)
        return 200, {"Content-Type": "text/html"}, PAGE.encode()

    site.pages["/slow"] = slow
    code = "import sys, os, signal, threading; from esdedup.readers import *\n"
    code += "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    code += "list(read([sys.argv[1]], ReadOptions(web=WebOptions(allow_private=True, robots=False))))"
    started = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", code, site.url + "/slow"], capture_output=True, check=False)
    assert b"KeyboardInterrupt" in ran.stderr
    assert time.monotonic() - started < 2.9


def test_only_what_has_changed(site: Site, tmp_path: Path) -> None:
    version = "one"

    def page(headers: dict[str, str]) -> Answer:
        if headers.get("If-None-Match") == version:
            return 304, {}, b""
        return 200, {"Content-Type": "text/html", "ETag": version}, PAGE.encode()

    site.pages["/"] = page
    known = tmp_path / "cache" / "known.json"
    assert isinstance(fetch(site.url + "/", known=known)[0], Document)
    assert reason(*fetch(site.url + "/", known=known)) == "not modified since it was last fetched"
    assert isinstance(fetch(site.url + "/")[0], Document)
    version = "two"
    assert isinstance(fetch(site.url + "/", known=known)[0], Document)


def test_what_was_not_taken_is_not_known(site: Site, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    options = ReadOptions(web=WebOptions(allow_private=True, known=known))
    first = fetch_all([site.page("/a", ETag="1"), site.page("/b", ETag="1")], options)
    next(first)
    first.close()  # type: ignore[attr-defined]
    assert not known.exists()


SITEMAP = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


def test_sitemaps_and_lists_of_them(site: Site) -> None:
    pages = [site.page(f"/{n}") for n in range(4)]
    entry = "<url><loc> {} </loc><image><loc>x</loc></image></url>"
    entries = ["".join(map(entry.format, part)) for part in (pages[:2], pages[2:])]
    one = site.page("/one.xml", SITEMAP.format(entries[0]))
    two = site.page("/two.xml.gz", gzip.compress(SITEMAP.format(entries[1]).encode()))
    listed = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in (one, site.url + "/gone.xml", two))
    index = site.page("/index.xml", f"<sitemapindex>{listed}</sitemapindex>")
    options = ReadOptions(web=WebOptions(allow_private=True))
    found = list(fetch_all([pages[3]], options, sitemaps=[index]))
    assert [one.id for one in found if isinstance(one, Document)] == [pages[3], *pages[:3]]
    assert [(one.where, one.reason) for one in found if isinstance(one, Skipped)] == [
        (site.url + "/gone.xml", "status 404")
    ]


def test_a_plain_list_is_a_sitemap() -> None:
    assert parse_sitemap(b"\xef\xbb\xbfhttp://a.example/1\r\n\nnot one\nhttps://a.example/2") == (
        False,
        ["http://a.example/1", "https://a.example/2"],
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"<urlset><url>", "not valid XML"),
        (b"\x1f\x8bbroken", "not valid gzip"),
        (b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset>&b;</urlset>', "declares entities"),
        (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><urlset/>', "declares entities"),
    ],
)
def test_sitemaps_that_are_none(body: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        parse_sitemap(body)


def test_pages_that_say_nonsense_end_no_run(site: Site) -> None:
    odd = site.page("/odd", f'<link rel=canonical href="http://[x">{PAGE}')
    away = site.page("/away", "", 302, Location="http://[x")
    dated = site.page("/dated", '<script type="application/ld+json">{"datePublished": "2024-01-01\n"}</script>' + PAGE)
    found = fetch(odd, away, dated, "http://a..b/", f"http://{'a' * 70}.example/", "http://127.0.0.1:99999/")
    assert document(found[0]).id == odd
    assert "which is no address" in reason(found[1])
    assert document(found[2]).date == "2024-01-01"
    assert all(isinstance(one, Skipped) for one in found[3:])


@pytest.mark.parametrize("host", ["a..b", ".example.com", "a" * 70])
def test_names_that_no_host_has(host: str) -> None:
    with pytest.raises(Unreadable, match=r"no such host|no host"):
        refuse_private(f"http://{host}/")


@pytest.mark.parametrize(
    "address",
    ["64:ff9b::7f00:1", "2002:7f00:1::", "::7f00:1", "::ffff:0:127.0.0.1", "::ffff:10.0.0.1", "224.0.0.1", "ff02::1"],
)
def test_private_addresses_inside_others(address: str) -> None:
    with pytest.raises(Unreadable, match="private"):
        refuse_private_address(address, "host")


def test_public_addresses_are_no_private_ones() -> None:
    for address in ("8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8"):
        refuse_private_address(address, "host")


def test_a_site_that_wants_days_between_requests_waits_a_minute_at_most(site: Site) -> None:
    client = WebClient(WebOptions(allow_private=True))
    slept: list[float] = []
    client._sleep = slept.append
    client.get(site.page("/"), 1000, delay=1e300)
    client.close()
    assert slept == [60.0]


def test_sitemaps_in_chinese_encodings() -> None:
    body = '<?xml version="1.0" encoding="gb2312"?><urlset><url><loc>http://a.example/港口</loc></url></urlset>'
    assert parse_sitemap(body.encode("gb18030")) == (False, ["http://a.example/港口"])
    unknown = '<?xml version="1.0" encoding="no-such"?><urlset><url><loc>http://a.example/1</loc></url></urlset>'
    assert parse_sitemap(unknown.encode()) == (False, ["http://a.example/1"])


def test_a_sitemap_that_lists_itself_is_read_once() -> None:
    read: list[str] = []

    def get(url: str) -> bytes:
        read.append(url)
        return f"<sitemapindex>{f'<sitemap><loc>{url}</loc></sitemap>' * 20}</sitemapindex>".encode()

    assert list(sitemap_urls("http://me:secret@a.example/s", get)) == []
    assert len(read) == 1


def test_a_version_that_no_header_can_hold_is_not_kept(tmp_path: Path) -> None:
    known = Known(tmp_path / "known.json")
    known.note("http://me:secret@a.example/", {"etag": '"é"', "last-modified": "today"})
    known.save()
    assert "secret" not in (tmp_path / "known.json").read_text("utf-8")
    assert Known(tmp_path / "known.json").conditions("http://a.example/") == {"If-Modified-Since": "today"}

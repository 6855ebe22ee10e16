"""A real Scrapy crawl of pages on loopback, with the pipeline switched on."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from esdedup.engine.lookup import count_groups
from esdedup.engine.mapping import open_index

pytestmark = pytest.mark.engine

STORM = (
    "The harbour office counted forty boats before the storm and thirty eight after it. Nobody was hurt, but the old "
    "pier lost its lamp, two ladders and most of its planks, and the ferry will not run this week until the harbour "
    "master has looked at every rope. The boats wait in the river, and the master keeps the key of the lamp house."
)
PAGES = {
    "/": "".join(f"<a href='/{n}'>{n}</a>" for n in ("one", "copy", "near", "other", "empty")),
    "/one": f"<title>One</title><p>{STORM}</p>",
    "/copy": f"<title>Two</title><div>{STORM}</div>",
    "/near": f"<p>{STORM} Later it rained.</p>",
    "/other": "<p>" + "Bread is sold by weight again, says the baker near the railway station, and he smiles. " * 3,
    "/empty": "<title>nothing</title>",
}
SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Spider(scrapy.Spider):
    name = "pages"
    start_urls = [sys.argv[1]]
    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse_page)
    def parse_page(self, response):
        yield {"url": response.url, "html": response.text}

passed = []
class Collect:
    def process_item(self, item):
        passed.append(item["url"].rpartition("/")[2])
        return item

process = CrawlerProcess({
    "ITEM_PIPELINES": {"esdedup.scrapy.NearDuplicatePipeline": 300, Collect: 400},
    "ESDEDUP_URL": sys.argv[2], "ESDEDUP_INDEX": sys.argv[3],
    "CONCURRENT_REQUESTS": 1, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False,
})
crawler = process.create_crawler(Spider)
process.crawl(crawler)
process.start()
stats = {k: v for k, v in crawler.stats.get_stats().items() if k.startswith("esdedup/")}
print(json.dumps({"passed": sorted(passed), "stats": stats}))
"""


@pytest.fixture
def site() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = PAGES.get(self.path, "").encode()
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_crawl_keeps_each_text_once(
    site: str, node_url: str, index_name: str, client: Elasticsearch, tmp_path: Path
) -> None:
    script = tmp_path / "crawl.py"
    script.write_text(SPIDER, "utf-8")

    def crawl() -> dict[str, object]:
        command = [sys.executable, str(script), site, node_url, index_name]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        assert "Traceback" not in ran.stderr
        assert ran.stderr.count("duplicate of") == 2
        found: dict[str, object] = json.loads(ran.stdout.splitlines()[-1])
        return found

    first = crawl()
    stats = first["stats"]
    assert isinstance(stats, dict)
    assert len(first["passed"]) == 2  # type: ignore[arg-type]
    assert "other" in first["passed"]  # type: ignore[operator]
    assert stats["esdedup/insert"] == 2
    assert sum(n for name, n in stats.items() if name.startswith("esdedup/trash/")) == 2
    assert stats["esdedup/skip/empty"] == 1
    assert count_groups(open_index(client, index_name)) == 2
    again = crawl()
    assert again["passed"] == first["passed"]
    assert again["stats"]["esdedup/update"] == 2  # type: ignore[index]

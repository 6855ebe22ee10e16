"""A Scrapy item pipeline that drops near-duplicates before they are stored.

Switch it on in the project's settings:

    ITEM_PIPELINES = {"esdedup.scrapy.NearDuplicatePipeline": 300}

ESDEDUP_URL, ESDEDUP_INDEX ("esdedup"), ESDEDUP_K, ESDEDUP_CONFIRM (a similarity, such as 0.5), ESDEDUP_CHECK_ONLY,
ESDEDUP_KEEP ("first", "longest", "newest" or "prefer FIELD=VALUE"), ESDEDUP_ID_FIELD ("url"), ESDEDUP_TITLE_FIELD
("title"), ESDEDUP_TEXT_FIELD ("text") and ESDEDUP_HTML_FIELD ("html", used where there is no text) say more.
Stats: esdedup/insert, esdedup/update, esdedup/trash/exact, esdedup/trash/near, ...
"""

import threading
from contextlib import ExitStack
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread

from esdedup.confirming import Confirmation
from esdedup.document import Document
from esdedup.engine.connect import connect, verify
from esdedup.engine.mapping import DEFAULT_INDEX, Collection, IndexOptions, ensure_index
from esdedup.engine.target import resolve
from esdedup.engine.trouble import translating
from esdedup.extract import extract
from esdedup.gate import Gate, Judgement, Reason, Verdict
from esdedup.keeping import Keep
from esdedup.readers.mend import Mender

__all__ = ["NearDuplicatePipeline"]


class NearDuplicatePipeline:
    """Passes items whose text is new, or whose id is known already; drops duplicates, with the reason."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._settings = crawler.settings
        self._lock = threading.Lock()
        self._resources = ExitStack()
        self._gate: Gate | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls(crawler)

    def open_spider(self, spider: object = None) -> None:
        """Connect; raises what `esdedup` would say in one line."""
        self._gate = self._resources.enter_context(
            Gate(
                self._open(),
                check_only=self._settings.getbool("ESDEDUP_CHECK_ONLY"),
                keep=Keep.parse(self._settings.get("ESDEDUP_KEEP", "first")),
            )
        )

    def close_spider(self, spider: object = None) -> None:
        """Make everything searchable, and disconnect."""
        self._resources.close()

    async def process_item(self, item: Any, spider: object = None) -> Any:
        """The item itself. Raises DropItem for a duplicate, an item without text, and one that is rejected."""
        judgement = await maybe_deferred_to_future(deferToThread(self._decide, item))
        stats = self._crawler.stats
        kind = str(judgement.verdict)
        if judgement.verdict in (Verdict.TRASH, Verdict.SKIP):
            kind = f"{judgement.verdict}/{judgement.reason}"
        if stats is not None:
            stats.inc_value(f"esdedup/{kind}")
        if judgement.verdict is Verdict.TRASH:
            raise DropItem(f"{judgement.reason} duplicate of {judgement.twin} (distance {judgement.distance})")
        if judgement.verdict is Verdict.SKIP:
            raise DropItem(f"{judgement.reason}: {judgement.message or 'nothing to compare'}")
        return item

    def _open(self) -> Collection:
        target = resolve(url=self._settings.get("ESDEDUP_URL"))
        client = self._resources.enter_context(connect(target))
        with translating(target):
            verify(client, target)
        threshold = self._settings.get("ESDEDUP_CONFIRM")
        k = self._settings.get("ESDEDUP_K")
        making = IndexOptions(
            self._settings.get("ESDEDUP_INDEX", DEFAULT_INDEX),
            k=None if k is None else int(k),
            confirmation=None if threshold is None else Confirmation(float(threshold)),
        )
        return ensure_index(client, making)

    def _decide(self, item: Any) -> Judgement:
        assert self._gate is not None
        document = self._document(item)
        if not document.id:
            return Judgement(None, Verdict.SKIP, Reason.INVALID, message="the item has no id: set ESDEDUP_ID_FIELD")
        with self._lock:
            return self._gate.decide(document)

    def _document(self, item: Any) -> Document:
        fields = ItemAdapter(item)
        mender = Mender()

        def field(name: str, usual: str) -> str:
            return mender.text(str(fields.get(self._settings.get(f"ESDEDUP_{name}_FIELD", usual)) or ""))

        doc_id, text = field("ID", "url"), field("TEXT", "text")
        page = extract(field("HTML", "html")) if not text else None
        return Document(
            id=doc_id,
            text=page.text if page else text,
            title=field("TITLE", "title") or (page.title if page else ""),
            url=mender.text(str(fields.get("url") or "")),
            source="scrapy",
            whole_page=bool(page and page.whole),
        )

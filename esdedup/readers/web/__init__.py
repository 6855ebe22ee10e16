"""Pages from the web: fetched politely, in the order asked for."""

from esdedup.readers.options import WebOptions
from esdedup.readers.web.fetch import fetch_all
from esdedup.readers.web.sitemap import sitemap_urls

__all__ = ["WebOptions", "fetch_all", "sitemap_urls"]

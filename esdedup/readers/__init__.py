"""Files, directories, patterns, web pages and standard input as documents."""

from esdedup.readers.options import ReadOptions, WebOptions
from esdedup.readers.reading import read
from esdedup.readers.walk import show_path

__all__ = ["ReadOptions", "WebOptions", "read", "show_path"]

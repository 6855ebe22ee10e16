"""Files, directories, patterns and standard input as documents."""

from esdedup.readers.html import Page, html_to_text
from esdedup.readers.options import ReadOptions
from esdedup.readers.reading import read
from esdedup.readers.walk import show_path

__all__ = ["Page", "ReadOptions", "html_to_text", "read", "show_path"]

"""Files, directories, patterns and standard input as documents."""

from esdedup.readers.options import ReadOptions
from esdedup.readers.reading import read
from esdedup.readers.walk import show_path

__all__ = ["ReadOptions", "read", "show_path"]

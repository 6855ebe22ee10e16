"""The small corpus that `esdedup demo` shows duplicate suppression on."""

from pathlib import Path

__all__ = ["corpus_path"]


def corpus_path() -> Path:
    """The corpus: JSON lines of id, title, text, url, lang, family and edit."""
    return Path(__file__).with_name("corpus.jsonl")

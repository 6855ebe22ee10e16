"""`demo`: the whole tool on a small corpus, in half a minute."""

from typing import Annotated

import typer
from elasticsearch import Elasticsearch

from esdedup.cli.connecting import connected
from esdedup.cli.finding import show_duplicates
from esdedup.cli.local import start
from esdedup.cli.options import Profile, Quiet, Url
from esdedup.cli.output import out
from esdedup.cli.searching import show_results
from esdedup.demo import corpus_path
from esdedup.engine.lookup import count_groups, duplicates_of
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.search import SearchOptions, search
from esdedup.local import NodeOptions
from esdedup.pipeline import Summary, index
from esdedup.readers import read

_INDEX = "esdedup-demo"
_DOCUMENT = "en-storm"
_QUERY = "harbour storm"

_NEXT = f"""
Next:
  esdedup search 面包店 -i {_INDEX} --expand
  esdedup groups -i {_INDEX}
  esdedup compare en-storm en-storm-time -i {_INDEX}
  esdedup index YOUR_FILES        (.txt .md .html .jsonl .csv ...)
  esdedup down                    stops Elasticsearch; the data stays
"""


def demo(
    url: Url = None,
    profile: Profile = None,
    any_port: Annotated[bool, typer.Option("--any-port", help="Another free port if 9200 is taken.")] = False,
    quiet: Quiet = False,
) -> None:
    """Start a local Elasticsearch, index a small corpus, and show duplicates suppressed.

    With --url or --profile it uses that Elasticsearch instead.

    Example: esdedup demo
    """
    if url is None and profile is None:
        url = start(NodeOptions(any_port=any_port), quiet).url
    with connected(url, profile) as client:
        _show(client)
    out(_NEXT)


def _show(client: Elasticsearch) -> None:
    client.indices.delete(index=f"{_INDEX}-000001", ignore_unavailable=True)
    collection = create_index(client, IndexOptions(_INDEX))
    summary = _fill(collection)
    out(f"{summary.read} documents in {summary.groups} groups, {summary.seconds:.1f} s (index {_INDEX})")
    out(f"\n$ esdedup dupes {_DOCUMENT} -i {_INDEX}")
    show_duplicates(duplicates_of(collection, _DOCUMENT))
    for option, collapse in ((" --no-collapse", False), ("", True)):
        out(f"\n$ esdedup search {_QUERY!r} -n 5 -i {_INDEX}{option}")
        show_results(search(collection, _QUERY, SearchOptions(limit=5, collapse=collapse)))


def _fill(collection: Collection) -> Summary:
    summary = Summary()
    for result in index(read([corpus_path()]), collection, workers=1):
        summary.add(result)
    summary.close(count_groups(collection))
    return summary

"""What plans are made of: constants that were measured once, here."""

from dataclasses import dataclass

__all__ = ["MEASURED", "Measured"]


@dataclass(frozen=True, slots=True)
class Measured:
    """The constants, with where they are from. Times are of all processors together, engine and client."""

    source: str = "benchmarks: plan_check, skew, foreseen_memory, feature_speed; docs/scale.md says which gave what"
    machine: str = "two cores of a shared Intel Xeon of 2.6 GHz with AVX-512; one node, 512 MB of heap"
    # Bytes on disk of a document.
    document: float = 234.0  # ids, digest, place, times, and all but the text in `_source`
    fingerprint: float = 32.0  # terms and doc values
    block: float = 4.5
    lanes: float = 12.5  # all eight
    key: float = 5.9  # a wider key
    key_character: float = 0.8  # a character by which it differs from its neighbours
    key_source: float = 8.8  # its text in `_source`
    row: float = 50.0  # a row of a fingerprint index, besides its key: id and fingerprint
    text: float = 1.1  # a byte of text
    # Microseconds.
    make: float = 0.09  # a byte of text to its fingerprint
    write: float = 68.0  # a document
    write_text: float = 0.09  # a byte of text
    write_key: float = 1.5
    ask: float = 300.0  # a look-up
    ask_shard: float = 100.0  # a look-up in each further shard
    ask_term: float = 1.3  # a term in a shard
    open_term: float = 15.0  # one that is there
    posting: float = 0.006  # a posting
    near_posting: float = 0.015  # one of several terms that stand for a lane
    read: float = 25.0  # a candidate that comes back and is verified
    regroup: float = 60.0  # a document read and placed
    compare: float = 0.007  # a unit of `esdedup.pairs.work`
    # Bytes.
    pair: float = 67.0  # of memory a fingerprint, at the height of `regroup`
    heap: float = 512e6  # a node
    text_bytes: int = 950  # of a document, where nobody says how long they are: news stories


#: Of this project's machine.
MEASURED = Measured()

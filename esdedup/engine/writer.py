"""Write behind the back of who goes on: batch after batch, in a thread, none before the one before it is done."""

from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from threading import Event, Thread

from esdedup.engine.bulk import Action, Outcome, write
from esdedup.engine.mapping import Collection

__all__ = ["Writer"]

Written = Future[list[Outcome]]


class Writer:
    """Writes in the order of `submit`. Whatever ends a run early, what was written is then a beginning of all.

    Each batch has a thread, which does not outlive the program: an engine that is away does not keep it from ending.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._last = _nothing()
        self._stopped = Event()

    def submit(self, actions: Sequence[Action]) -> Written:
        """The outcomes to come, as of `esdedup.engine.bulk.write`. What one batch raises, later ones raise as well."""
        if not actions:
            return _nothing()
        before, self._last = self._last, Future()
        Thread(target=self._write, args=(actions, before, self._last), daemon=True).start()
        return self._last

    def stop(self) -> None:
        """Begin no further batch."""
        self._stopped.set()

    def _write(self, actions: Sequence[Action], before: Written, written: Written) -> None:
        try:
            before.result()
            if self._stopped.is_set():
                raise CancelledError
            written.set_result(list(write(self._collection, actions)))
        except BaseException as error:  # for who waits
            written.set_exception(error)


def _nothing() -> Written:
    done: Written = Future()
    done.set_result([])
    return done

"""`python -m esdedup` and the `esdedup` command."""

import gc
import sys

_INTERRUPTED = 130
_SELDOM = (2_000, 50)  # documents are many small objects without cycles: looking for these took a fifth of `index`


def main() -> None:
    """Run the command line; every error that stops a run becomes one line and its exit code."""
    try:
        _run()
    except KeyboardInterrupt:  # while modules were being loaded
        sys.exit(_INTERRUPTED)


def _run() -> None:
    from esdedup.cli.output import fail, flush, prepare_streams  # noqa: PLC0415  # see above
    from esdedup.errors import EsdedupError  # noqa: PLC0415

    gc.set_threshold(*_SELDOM)
    prepare_streams()
    from esdedup.cli.app import app  # noqa: PLC0415  # after the streams are ready for its errors

    try:
        app()
    except EsdedupError as error:
        fail(error, error.exit_code)
    finally:
        flush()


if __name__ == "__main__":
    main()

"""`python -m esdedup` and the `esdedup` command."""

from esdedup.cli.output import fail, flush, prepare_streams
from esdedup.errors import EsdedupError


def main() -> None:
    """Run the command line; every error that stops a run becomes one line and its exit code."""
    from esdedup.cli.app import app  # noqa: PLC0415  # after the streams are ready for its errors

    prepare_streams()
    try:
        app()
    except EsdedupError as error:
        fail(error, error.exit_code)
    finally:
        flush()


if __name__ == "__main__":
    main()

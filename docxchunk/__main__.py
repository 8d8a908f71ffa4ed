"""The start of the command line: `docxchunk`, or `python -m docxchunk`."""

from __future__ import annotations

import sys

from docxchunk.batch import collect_rarely


def main() -> None:
    """Run the command line. Ctrl-C exits with code 130, also while the command line is imported."""
    try:
        collect_rarely()
        from docxchunk.cli import main as run

        run()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)  # noqa: T201 - a message for the user
        sys.exit(130)


if __name__ == "__main__":
    main()

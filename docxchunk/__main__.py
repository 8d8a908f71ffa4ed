"""Run the command line with `python -m docxchunk`."""

from docxchunk.cli import main

if __name__ == "__main__":
    main()

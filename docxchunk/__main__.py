"""`python -m docxchunk` is the command `docxchunk`."""

from docxchunk.cli import main

if __name__ == "__main__":
    main()

"""Links of the README that work on PyPI, which has no files of the repository."""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "https://github.com/docxchunk/docxchunk"


class ReadmeHook(MetadataHookInterface):
    """Make the README the long description, with absolute links."""

    def update(self, metadata: dict[str, object]) -> None:
        text = Path(self.root, "README.md").read_text("utf-8")
        text = re.sub(r"(?<=\]\()(?!https:)", f"{REPOSITORY}/blob/main/", text)
        text = re.sub(r'(?<=src="|set=")(?!https:)', f"{REPOSITORY}/raw/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}

"""Find input files, and process many of them in threads, in processes or on a Ray cluster."""

from __future__ import annotations

import gc
from typing import Final

# Those of `gc.set_threshold`: new objects, and runs for the new ones until the older ones are
# searched, too.
_THRESHOLDS: Final = (100_000, 20, 20)


def collect_rarely() -> None:
    """Raise the thresholds of the garbage collector in this process.

    The objects of a document have no reference cycles, so that searching them for cycles finds
    nothing. With the usual thresholds, it takes a sixth of the time of a large document.
    """
    gc.set_threshold(*_THRESHOLDS)

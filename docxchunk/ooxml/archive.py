"""Read untrusted ZIP files (ECMA-376 Part 2, 7.3, annex B).

If the central directory is damaged, the local headers are searched for, as Word does when it
repairs a file. Entries are inflated in pieces, and the actual sizes are counted. Declared sizes are
used only to refuse a file early.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from docxchunk.errors import LimitError
from docxchunk.model.options import Limits

ZipSource = bytes | mmap.mmap

STORED: Final = 0
DEFLATED: Final = 8
_ENCRYPTED: Final = 0x1
_DESCRIPTOR: Final = 0x8
_UNKNOWN: Final = 0xFFFFFFFF  # the value is in the ZIP64 extra field

_END: Final = struct.Struct("<4s4H2LH")  # end of central directory
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_PIECE: Final = 1 << 16  # inflated bytes at a time; fits the CPU cache
_SMALL: Final = 8 << 20  # bytes; the compression ratio of smaller parts is not limited
_SMALL_TOTAL: Final = 16 << 20  # the same for all parts together
_MARK_END: Final = b"PK\x05\x06"
_MARK_CENTRAL: Final = b"PK\x01\x02"
_MARK_LOCAL: Final = b"PK\x03\x04"


class CorruptError(Exception):
    """An entry cannot be inflated completely, or its checksum is wrong. Not raised outside of
    `ooxml`.
    """


class ZipEntry(NamedTuple):
    """An entry of a ZIP file. `packed` is its compressed size."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int  # as declared
    start: int  # of the packed bytes

    @property
    def encrypted(self) -> bool:
        return bool(self.flags & _ENCRYPTED)


class Archive:
    """The entries of a ZIP file. Part names are case-insensitive (ECMA-376 Part 2, 6.2.2.3).

    - `entries`: entries by normalised name; see `key`.
    - `repaired`: a sentence about what was wrong with the directory; "" if nothing was.
    - `truncated`: whether the end of the file is missing.
    """

    def __init__(self, source: ZipSource, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._inflated: dict[str, int] = {}  # inflated size of each entry read so far
        self._total = 0  # of them
        listed, is_whole = _directory(source, limits)
        entries = listed if is_whole else [*_scan(source, limits), *listed]
        self.entries = {key(entry.name): entry for entry in entries if not entry.name.endswith("/")}
        self.truncated = source.rfind(_MARK_END) < 0
        self.repaired = ""
        if not is_whole:
            self.repaired = (
                "The directory of the zip file is damaged; its parts were found without it."
            )
        elif len({entry.name for entry in entries}) < len(entries):
            self.repaired = "The zip file has several entries of one name; the last was read."

    def __contains__(self, name: str) -> bool:
        return key(name) in self.entries

    def name(self, name: str) -> str | None:
        """Return the name of an entry as written in the file, or None."""
        entry = self.entries.get(key(name))
        return entry and entry.name

    @property
    def inflated(self) -> int:
        """The inflated size of all entries read so far."""
        return self._total

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield the inflated bytes in pieces of at most 64 KiB. Raise KeyError, LimitError, or,
        after the readable pieces, CorruptError.
        """
        entry = self.entries[key(name)]
        self._admit(entry, entry.size)
        size = 0
        for piece in _inflate(self._source, entry):
            if size <= entry.size < size + len(piece):
                self._measure(entry)
            size += len(piece)
            yield piece
        self._total += size - self._inflated.get(entry.name, 0)
        self._inflated[entry.name] = size

    def _measure(self, entry: ZipEntry) -> None:
        """Raise LimitError if an entry that is larger than declared exceeds a limit. No bytes of
        the entry are kept in memory for this.
        """
        size = 0
        for piece in _inflate(self._source, entry):
            size += len(piece)
            self._admit(entry, size)

    def _admit(self, entry: ZipEntry, size: int) -> None:
        limits = self._limits
        total = self._total - self._inflated.get(entry.name, 0) + size
        if size > limits.part:
            raise _too_large(
                f"The part {entry.name} is over {limits.part >> 20} MiB when unpacked", "part"
            )
        if size > _SMALL and size > limits.ratio * entry.packed:
            raise _too_large(
                f"The part {entry.name} unpacks to over {limits.ratio} times its "
                "size, as a zip bomb does",
                "ratio",
            )
        if total > _SMALL_TOTAL and total > limits.ratio * len(self._source):
            raise _too_large(
                f"The parts unpack to over {limits.ratio} times the size of the "
                "file, as a zip bomb does",
                "ratio",
            )
        if total > limits.total:
            raise _too_large(f"The parts are over {limits.total >> 20} MiB when unpacked", "total")


def _too_large(sentence: str, limit: str) -> LimitError:
    return LimitError(f"{sentence}; raise the limit `{limit}` if you trust the file.", limit)


def key(name: str) -> str:
    """Return the normalised form of a part name, for comparison."""
    return name.replace("\\", "/").strip("/").lower()


def _inflate(source: ZipSource, entry: ZipEntry) -> Iterator[bytes]:
    """Yield pieces of the entry. Raise CorruptError at the first invalid byte, or at the end if the
    checksum differs.
    """
    if entry.encrypted:
        raise CorruptError("it is encrypted")
    if entry.method not in (STORED, DEFLATED):
        raise CorruptError(f"it is packed by method {entry.method}, which Word files do not use")
    crc = 0
    for piece in (_deflated if entry.method == DEFLATED else _stored)(source, entry):
        crc = zlib.crc32(piece, crc)
        yield piece
    if crc != entry.crc:
        raise CorruptError("its checksum is wrong")


def _packed(source: ZipSource, entry: ZipEntry) -> Iterator[bytes]:
    end = min(entry.start + entry.packed, len(source))
    for start in range(entry.start, end, _PIECE):
        yield source[start : min(start + _PIECE, end)]


def _stored(source: ZipSource, entry: ZipEntry) -> Iterator[bytes]:
    yield from _packed(source, entry)
    if entry.start + entry.packed > len(source):
        raise CorruptError("its end is missing")


def _deflated(source: ZipSource, entry: ZipEntry) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    for packed in _packed(source, entry):
        packed_rest = packed
        while packed_rest and not inflater.eof:
            try:
                piece = inflater.decompress(packed_rest, _PIECE)
            except zlib.error:
                raise CorruptError("its packed bytes are damaged") from None
            packed_rest = inflater.unconsumed_tail
            yield piece
    if packed_rest := inflater.flush():
        yield packed_rest
    if not inflater.eof:
        raise CorruptError("its end is missing")


def _directory(source: ZipSource, limits: Limits) -> tuple[list[ZipEntry], bool]:
    """Return the existing entries of the central directory, and whether it is undamaged.

    If other entries are before the ZIP file that the directory describes, this ZIP file is a part
    of a larger one, which is truncated. Then there is no directory.
    """
    end = len(source)
    while (end := source.rfind(_MARK_END, 0, end)) >= 0:
        place = _directory_start(source, end) if end + _END.size <= len(source) else None
        if place is not None:
            start, shift = place
            is_of_a_part = shift > 0 and source[:4] == _MARK_LOCAL
            return ([], False) if is_of_a_part else _listed(source, start, shift, end, limits)
    return [], False


def _directory_start(source: ZipSource, end: int) -> tuple[int, int] | None:
    """Return the start of the directory whose end record is at `end`, and the number of bytes
    before the ZIP file; None if there is no directory.
    """
    *_, size, offset, _ = _END.unpack_from(source, end)
    record64 = source.rfind(b"PK\x06\x06", max(0, end - 20 - _END64.size - 1024), end)
    if _UNKNOWN in (size, offset) and 0 <= record64 <= end - _END64.size:
        *_, size, offset = _END64.unpack_from(source, record64)
        end = record64
    for start in (end - size, offset):
        if 0 <= start <= end and (source[start : start + 4] == _MARK_CENTRAL or start == end):
            return start, start - offset
    return None


def _listed(
    source: ZipSource, start: int, shift: int, end: int, limits: Limits
) -> tuple[list[ZipEntry], bool]:
    """Return the existing entries of the central directory in [start, end), and whether it is
    undamaged. `shift` is the number of bytes before the ZIP file.
    """
    entries: list[ZipEntry] = []
    is_whole = True
    while start + _CENTRAL.size <= end and source[start : start + 4] == _MARK_CENTRAL:
        header = _CENTRAL.unpack_from(source, start)
        flags, method, _, _, crc, packed, size = header[3:10]
        name_size, extra_size, comment_size, *_, offset = header[10:]
        name_start = start + _CENTRAL.size
        extra_start = name_start + name_size
        raw, extra = (
            source[name_start:extra_start],
            source[extra_start : extra_start + extra_size],
        )
        start = extra_start + extra_size + comment_size
        size, packed, offset = _zip64(extra, size, packed, offset)
        data = _data_start(source, offset + shift)
        is_whole = is_whole and data is not None
        if data is not None:
            entries.append(ZipEntry(_decoded(raw), flags, method, crc, packed, size, data))
        _count(len(entries), limits)
    return entries, is_whole and start <= end and bool(entries)


def _zip64(extra: bytes, *values: int) -> list[int]:
    """Return sizes and offset. Those with all bits set are read from the ZIP64 extra field (APPNOTE
    4.5.3).
    """
    if _UNKNOWN not in values:
        return list(values)
    fields = b""
    at = 0
    while at <= len(extra) - 4:
        tag, size = struct.unpack_from("<2H", extra, at)
        if tag == 1:
            fields = extra[at + 4 : at + 4 + size]
        at += 4 + size
    numbers = iter(struct.unpack_from(f"<{len(fields) // 8}Q", fields))
    return [next(numbers, value) if value == _UNKNOWN else value for value in values]


def _data_start(source: ZipSource, offset: int) -> int | None:
    """Return the start of the compressed bytes after the local header at `offset`; None if there is
    no header.
    """
    if (
        offset < 0
        or offset + _LOCAL.size > len(source)
        or source[offset : offset + 4] != _MARK_LOCAL
    ):
        return None
    *_, name_size, extra_size = _LOCAL.unpack_from(source, offset)
    return offset + _LOCAL.size + int(name_size) + int(extra_size)


def _scan(source: ZipSource, limits: Limits) -> list[ZipEntry]:
    """Return the entries found by their local headers. If the sizes of an entry follow its data, it
    is inflated to measure them.

    A hostile file may share data and extra fields between headers, so the sum of the bytes read is
    limited, too.
    """
    entries: list[ZipEntry] = []
    budget = min(limits.total, max(_SMALL, limits.ratio * len(source)))
    extra = len(source)  # bytes of extra fields left to read
    tried = 0
    at = source.find(_MARK_LOCAL)
    while 0 <= at <= len(source) - _LOCAL.size:
        tried += 1
        _count(tried, limits)
        entry = _local_entry(source, at, extra)
        at += len(_MARK_LOCAL)
        if entry is not None:
            if entry.packed == 0 and entry.flags & _DESCRIPTOR:
                entry = _measured(source, entry, budget)
                budget -= max(entry.size, entry.packed)
            extra -= _LOCAL.unpack_from(source, at - len(_MARK_LOCAL))[-1]
            entries.append(entry)
            at = entry.start + entry.packed if _followed(source, entry) else at
        at = source.find(_MARK_LOCAL, at)
    return entries


def _local_entry(source: ZipSource, at: int, most_extra: int) -> ZipEntry | None:
    """Return the entry with the local header at `at`; None if the header is implausible, or has
    over `most_extra` bytes of extra fields.
    """
    _, version, flags, method, _, _, crc, packed, size, name_size, extra_size = _LOCAL.unpack_from(
        source, at
    )
    name_at = at + _LOCAL.size
    raw = source[name_at : name_at + name_size]
    if (
        version > 63
        or method > 99
        or not 0 < name_size <= 1024
        or extra_size > most_extra
        or any(byte < 32 for byte in raw)
    ):
        return None
    size, packed = _zip64(
        source[name_at + name_size : name_at + name_size + extra_size], size, packed
    )
    return ZipEntry(
        _decoded(raw), flags, method, crc, packed, size, name_at + name_size + extra_size
    )


def _measured(source: ZipSource, entry: ZipEntry, budget: int) -> ZipEntry:
    """Return the entry with sizes and checksum measured from its data, as far as it can be
    inflated. Raise LimitError beyond `budget` bytes.
    """
    if entry.method != DEFLATED:  # its data end at the next signature
        end = source.find(b"PK\x07\x08", entry.start)
        size = (end if end >= 0 else len(source)) - entry.start
        if size > budget:
            raise _too_large("The parts are too large when unpacked", "total")
        crc = zlib.crc32(source[entry.start : entry.start + size])
        return entry._replace(packed=size, size=size, crc=crc)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    at, size, crc = entry.start, 0, 0
    unread = b""
    while not inflater.eof and (unread or at < len(source)):
        if not unread:
            unread = source[at : at + _PIECE]
            at += len(unread)
        try:
            piece = inflater.decompress(unread, _PIECE)
        except zlib.error:
            break
        unread = inflater.unconsumed_tail
        size, crc = size + len(piece), zlib.crc32(piece, crc)
        if max(size, at - entry.start) > budget + _PIECE:
            raise _too_large("The parts are too large when unpacked", "total")
    packed = at - len(unread) - len(inflater.unused_data) - entry.start
    return entry._replace(packed=packed, size=size, crc=crc)


def _followed(source: ZipSource, entry: ZipEntry) -> bool:
    """Return whether the data is followed by another ZIP record or by the end of the file. This
    confirms the sizes in the local header.
    """
    end = entry.start + entry.packed
    return source[end : end + 2] == b"PK" or end >= len(source)


def _decoded(name: bytes) -> str:
    """Return a decoded name: UTF-8, which most files use even without the flag, or else code page
    437 (APPNOTE, annex D).
    """
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("cp437")


def _count(entries: int, limits: Limits) -> None:
    if entries > limits.entries:
        raise _too_large(f"The zip file has over {limits.entries:,} entries", "entries")

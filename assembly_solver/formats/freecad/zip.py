"""Replaces members of a zip; all other members keep their packed bytes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from ...errors import FormatError

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_SIZES_FOLLOW = 0x08
"""Bit of a member's flags: its sizes follow its data."""
_WIDE = 0xFFFFFFFF
"""Offset or size that exceeds the plain zip format."""


def replaced(file: Path, members: Mapping[str, bytes]) -> bytes:
    """The bytes of a zip file with other data in some members.

    The order, dates and compression of the members, the packed bytes of the others and the
    comment of the file stay.

    Raises FormatError: the file is damaged, of an unsupported kind, or would be too large.

    Source: PKWARE, APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (central directory) and
    4.3.16 (its end).
    """
    try:
        raw = file.read_bytes()
        for name, data in members.items():
            raw = _replaced(raw, name, data, file)
        return raw
    except FormatError:
        raise
    except (struct.error, BadZipFile, ValueError):
        raise FormatError(file.name, "its list of members is damaged; it is read only") from None


def _replaced(raw: bytes, name: str, data: bytes, file: Path) -> bytes:
    with ZipFile(BytesIO(raw)) as archive:
        info, directory = archive.getinfo(name), archive.start_dir
        places = [i.header_offset for i in archive.infolist()]
    begin = info.header_offset
    end = min([directory, *(at for at in places if at > begin)])
    packed = _packed(data, info)
    member = _header(raw, begin, info, data, packed) + packed
    grown = len(member) - (end - begin)
    if directory + grown >= _WIDE:
        raise FormatError(file.name, "it is too large to be written")
    entries, at = [], directory
    for _ in places:
        entry, at = _entry(raw, at, file)
        entries.append(_moved(entry, info, data, packed, grown))
    return b"".join([raw[:begin], member, raw[end:directory], *entries, _closed(raw, at, grown)])


def _packed(data: bytes, info: ZipInfo) -> bytes:
    """The data as the member's compression stores it."""
    if info.compress_type != ZIP_DEFLATED:
        return data
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def _header(raw: bytes, at: int, info: ZipInfo, data: bytes, packed: bytes) -> bytes:
    """The member's local header with the new sizes, its name and its extra fields."""
    fields = list(_LOCAL.unpack_from(raw, at))
    fields[2] &= ~_SIZES_FOLLOW
    fields[6:9] = zlib.crc32(data), len(packed), len(data)
    names = raw[at + _LOCAL.size :][: fields[9] + fields[10]]
    return _LOCAL.pack(*fields) + names


def _entry(raw: bytes, at: int, file: Path) -> tuple[bytes, int]:
    """An entry of the central directory, and where the next one begins."""
    fields = _CENTRAL.unpack_from(raw, at)
    end = at + _CENTRAL.size + sum(fields[10:13])
    if fields[0] != b"PK\x01\x02" or _WIDE in fields:
        raise FormatError(file.name, "zip files of this kind cannot be written")
    return raw[at:end], end


def _moved(entry: bytes, info: ZipInfo, data: bytes, packed: bytes, grown: int) -> bytes:
    """The entry with the new offset of its member and, for the replaced one, the new sizes."""
    fields = list(_CENTRAL.unpack_from(entry))
    if fields[16] == info.header_offset:
        fields[3] &= ~_SIZES_FOLLOW
        fields[7:10] = zlib.crc32(data), len(packed), len(data)
    elif fields[16] > info.header_offset:
        fields[16] += grown
    return _CENTRAL.pack(*fields) + entry[_CENTRAL.size :]


def _closed(raw: bytes, at: int, grown: int) -> bytes:
    """The end record of the central directory with its new offset."""
    fields = list(_END.unpack_from(raw, at))
    if fields[0] != b"PK\x05\x06":
        raise BadZipFile
    fields[6] += grown
    return _END.pack(*fields) + raw[at + _END.size :]

"""Damages sources: as disks, networks and hasty copies do, and as somebody does who wants a reader to fall.

Everything is chosen by a generator that is given, so a seed tells what was done.
"""

import gzip
import io
import json
import random
import re
import struct
import tarfile
import zlib
from collections.abc import Callable
from typing import Any

import zstandard
from tests.conformance.logs.fuzz.samples import SAMPLES, Files, sample

Damage = Callable[[random.Random, bytes], bytes]

_EDGES = [sign * (2**bits + more) for bits in (31, 32, 63, 64) for more in (-1, 0, 1) for sign in (1, -1)]
NUMBERS = (b"", b"-1", b"0", b"00", b"-0", b"1e9", b"\xd9\xa3", b"9" * 25, b"9" * 5_000, *(b"%d" % n for n in _EDGES))

PIECES = (
    b"\0", b"\r", b"\n", b"\t", b",", b" ", b'"', b"'", b"<", b">", b"&", b"/", b"..", b"\xff\xfe", b"\xed\xa0\x80",
    b"\x1b[2J", b"\xe2\x80\xa8", b"blk_", b"BP-1-1-1", b"{", b"}", b"[", b"]", b"\\ud800", b"<!DOCTYPE a>", b"]]>",
    b"&#0;", b"#", b"=", b"\xef\xbb\xbf",
)  # fmt: skip

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**400, 1.5, float("nan"), float("inf"), "",
    "\ud800", "\0", "x" * 5_000, "#bigint", [], {}, [None], {"#bigint": "9" * 5_000}, {"#bigint": "x"}, {"#map": [[1]]},
    {"#set": [[]]}, {"#tup": []}, {"#unserializable": "x"}, {"": {}}, "/", "//", "a@", "@", "7", "namenode",
)  # fmt: skip

_INTEGERS = tuple(
    struct.pack(form, value)
    for form, values in (
        (">i", (0, 1, -1, 2**31 - 1, -(2**31), 1 << 24, 50 << 20)),
        (">q", (0, -1, 2**63 - 1, -(2**63), 1 << 40)),
        (">H", (0, 0xFFFF)),
    )
    for value in values
)


def _cut(choose: random.Random, content: bytes) -> bytes:
    return content[: choose.randrange(len(content) + 1)]


def _begin_later(choose: random.Random, content: bytes) -> bytes:
    return content[choose.randrange(len(content) + 1) :]


def _flip(choose: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(choose.choice((1, 1, 3, 30))):
        if changed:
            changed[choose.randrange(len(changed))] ^= 1 << choose.randrange(8)
    return bytes(changed)


def _lose(choose: random.Random, content: bytes) -> bytes:
    begin, end = _range(choose, content)
    return content[:begin] + content[end:]


def _repeat(choose: random.Random, content: bytes) -> bytes:
    begin, end = _range(choose, content)
    return content[:begin] + content[begin:end] * choose.choice((2, 2, 20)) + content[end:]


def _noise(choose: random.Random, content: bytes) -> bytes:
    begin, end = _range(choose, content)
    return content[:begin] + choose.randbytes(end - begin) + content[end:]


def _swap(choose: random.Random, content: bytes) -> bytes:
    first, second = sorted(_range(choose, content))
    begin, end = _range(choose, content[second:])
    return content[:first] + content[second + begin : second + end] + content[first:second] + content[second + end :]


def _insert(choose: random.Random, content: bytes) -> bytes:
    at = choose.randrange(len(content) + 1)
    return content[:at] + choose.choice(PIECES) * choose.choice((1, 1, 1, 300)) + content[at:]


def _splice(choose: random.Random, content: bytes) -> bytes:
    """A piece of another source."""
    other = choose.choice(list(sample(choose.choice(SAMPLES)).values()))
    begin, end = _range(choose, other)
    at = choose.randrange(len(content) + 1)
    return content[:at] + other[begin:end] + content[at:]


def _number(choose: random.Random, content: bytes) -> bytes:
    """Other numbers where numbers stand as text."""
    found = list(re.finditer(rb"-?\d+", content[: 1 << 16]))
    for match in sorted(choose.sample(found, min(len(found), choose.choice((1, 1, 4)))), key=lambda one: -one.start()):
        content = content[: match.start()] + choose.choice(NUMBERS) + content[match.end() :]
    return content


def _integer(choose: random.Random, content: bytes) -> bytes:
    """Other numbers where numbers stand in binary."""
    at, number = choose.randrange(len(content) + 1), choose.choice(_INTEGERS)
    return content[:at] + number + content[at + len(number) :]


def _word(choose: random.Random, content: bytes) -> bytes:
    """Words in each other's place: names of elements, keys, calls."""
    words = list(re.finditer(rb"[\w.$-]{2,60}", content[: 1 << 16]))
    if len(words) < 2:
        return content
    one, other = sorted(choose.sample(words, 2), key=lambda each: each.start())
    return b"".join(
        (content[: one.start()], other[0], content[one.end() : other.start()], one[0], content[other.end() :])
    )


def _nest(choose: random.Random, content: bytes) -> bytes:
    """Depth where somebody may recurse."""
    deep = choose.choice((b"[", b'{"a":', b"<a>", b"(", b"/a", b"{UCState=")) * choose.choice((30, 3_000, 100_000))
    at = choose.randrange(len(content) + 1)
    return content[:at] + deep + content[at:]


def _record(choose: random.Random, content: bytes) -> bytes:
    """A record of an edit log with other data and the right checksum, as only somebody who means it writes."""
    records = []
    at = 8
    while at + 5 < len(content) and content[at] != 0xFF:
        (length,) = struct.unpack(">i", content[at + 1 : at + 5])
        if not 12 <= length <= len(content) - at:
            break
        records.append((at, at + 1 + length))
        at += 1 + length + 4
    if not records:
        return _integer(choose, content)
    begin, end = choose.choice(records)
    data = choose.choice((_integer, _flip, _cut, _noise, _lose))(choose, content[begin + 13 : end])
    opcode = content[begin : begin + 1] if choose.random() < 0.8 else bytes([choose.randrange(60)])
    record = opcode + struct.pack(">i", 12 + len(data)) + content[begin + 5 : begin + 13] + data
    return content[:begin] + record + struct.pack(">I", zlib.crc32(record)) + content[end + 4 :]


def _value(choose: random.Random, content: bytes) -> bytes:
    """Another value somewhere in JSON: one document, or one a line."""
    try:
        return json.dumps(_with_other_value(choose, json.loads(content))).encode()
    except (ValueError, RecursionError):
        lines = content.split(b"\n")
    at = choose.randrange(len(lines))
    try:
        lines[at] = json.dumps(_with_other_value(choose, json.loads(lines[at]))).encode()
    except (ValueError, RecursionError):
        return _number(choose, content)
    return b"\n".join(lines)


def _with_other_value(choose: random.Random, document: Any) -> Any:
    holders: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        here = waiting.pop()
        inside = (
            list(here.items()) if isinstance(here, dict) else list(enumerate(here)) if isinstance(here, list) else []
        )
        holders += [(here, key) for key, _ in inside]
        waiting += [value for _, value in inside]
    if not holders:
        return choose.choice(VALUES)
    holder, key = choose.choice(holders)
    if choose.random() < 0.2:
        del holder[key]
    else:
        holder[key] = choose.choice(VALUES)
    return document


def _member(choose: random.Random, content: bytes) -> bytes:
    """A further member of an archive, of a name or kind that none should have; else a header with other numbers."""
    try:
        archive = tarfile.open(fileobj=io.BytesIO(content), mode="a")  # noqa: SIM115 - closed below
    except (tarfile.TarError, ValueError, EOFError):
        return _integer(choose, content)
    stored = io.BytesIO(content)
    with archive, tarfile.open(fileobj=stored, mode="a") as changed:
        names = (
            *archive.getnames(),
            "../x",
            "/etc/passwd",
            "a/../../x",
            "x" * 5_000,
            "\udcff",
            ".",
            "",
            "name",
            "a//b",
        )
        member = tarfile.TarInfo(choose.choice(names))
        member.type = choose.choice(
            (b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"S", b"K", b"L", b"x", b"g", b"V")
        )
        member.linkname = choose.choice(names)
        member.size = choose.choice((0, 0, 1, 513, 2**40, 2**62))
        changed.addfile(member)
    return stored.getvalue()


DAMAGES: dict[str, Damage] = {
    "ends early": _cut,
    "begins late": _begin_later,
    "bits": _flip,
    "lost range": _lose,
    "repeated range": _repeat,
    "noise": _noise,
    "swapped ranges": _swap,
    "inserted piece": _insert,
    "piece of another source": _splice,
    "numbers": _number,
    "binary numbers": _integer,
    "words": _word,
    "depth": _nest,
    "record with its checksum": _record,
    "values": _value,
    "members": _member,
}


def damaged(choose: random.Random, files: Files) -> tuple[str, Files]:
    """The files with one of them damaged, perhaps compressed before or after; and what was done."""
    path = choose.choice(list(files))
    content, done = files[path], []
    compress = choose.choice((None, None, None, gzip.compress, zstandard.compress))
    if compress is not None and choose.random() < 0.5:
        content, compress = compress(content), None
        done.append("compressed")
    for _ in range(choose.choice((1, 1, 2, 4))):
        name = choose.choice(list(DAMAGES))
        content = DAMAGES[name](choose, content)
        done.append(name)
    if compress is not None:
        content = compress(content)
        done.append("compressed")
    return f"{path}: {', '.join(done)}", {**files, path: content}


def _range(choose: random.Random, content: bytes) -> tuple[int, int]:
    begin = choose.randrange(len(content) + 1)
    return begin, min(len(content), begin + choose.choice((1, 4, 40, 400, 4_000)))

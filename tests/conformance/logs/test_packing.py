"""What is kept of a log's reader between two batches may have been changed by others."""

import os
import pickle
import subprocess
from collections import Counter

import pytest
import zstandard

from genstamp.logs.follow.packing import NoReaderError, packed, unpacked
from genstamp.logs.opening import put
from genstamp.logs.readers.sighting import Counts


class _Runs:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("exit 1",)


def test_a_reader_comes_back_as_it_was() -> None:
    counts = Counts()
    counts.lines["namenode.log", "read"] = 7
    assert unpacked(packed(counts), Counts).lines == Counter({("namenode.log", "read"): 7})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (pickle.dumps(_Runs()), "posix.system"),
        (pickle.dumps(subprocess.Popen), "subprocess.Popen"),
        (pickle.dumps(put), "genstamp.logs.opening.put"),
        (pickle.dumps(Counter("ab")), "is a Counter"),
        (packed(Counts())[:-9], "cannot be read"),
        (b"", "cannot be read"),
    ],
    ids=["runs", "class-of-others", "function-of-ours", "another-thing", "cut", "empty"],
)
def test_what_was_changed_is_refused(content: bytes, why: str) -> None:
    text = content if content.startswith(b"\x28\xb5\x2f\xfd") else zstandard.compress(content)
    with pytest.raises(NoReaderError, match=why):
        unpacked(text, Counts)

"""Standard input is read like a file, whatever it holds."""

import bz2
import gzip
import io
import lzma
from pathlib import Path

import pytest
import zstandard

from genstamp.logs.local import check_locally
from genstamp.logs.standard_input import StandardInputTwiceError, with_standard_input


class Input(io.BytesIO):
    """A standard input with some content."""

    @property
    def buffer(self) -> "Input":
        return self


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_standard_input_is_told_by_its_content(
    edits: Path, compress: "type[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (edits / "editsStored").read_bytes()
    monkeypatch.setattr("sys.stdin", Input(compress(content)))
    with with_standard_input(["-"]) as (file,):
        from_input = check_locally([file])
        assert Path(file).name == "standard-input"
    assert not Path(file).exists()
    from_file = check_locally([edits / "editsStored"])
    assert from_input.events.drop(["place", "namespace"]) == from_file.events.drop(["place", "namespace"])
    assert from_input.verdicts.num_rows == from_file.verdicts.num_rows > 0


def test_standard_input_stands_among_files(edits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Input(b"{}"))
    with with_standard_input(["a", "-", "b"]) as files:
        assert (files[0], Path(files[1]).read_bytes(), files[2]) == ("a", b"{}", "b")
    with with_standard_input(["a"]) as files:
        assert files == ["a"]


def test_standard_input_cannot_be_read_twice() -> None:
    with pytest.raises(StandardInputTwiceError, match="- is named more than once"), with_standard_input(["-", "-"]):
        pass

"""Edits that lie beside each other under one name, binary and as XML: whether they tell the same, and where not."""

import csv
import gzip
from pathlib import Path

import pytest

from genstamp.logs.edit_pairs import first_difference
from genstamp.logs.units import find_units


@pytest.fixture
def pair(edits: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Hadoop's own edits, binary and as XML, to be changed."""
    copies = tmp_path / "edits", tmp_path / "edits.xml"
    for copy, name in zip(copies, ("editsStored", "editsStored.xml"), strict=True):
        copy.write_bytes((edits / name).read_bytes())
    return copies


def _notes(directory: Path) -> list[tuple[str, str]]:
    return [(Path(file).name, note) for file, note in find_units([str(directory)]).notes]


def test_pair_that_tells_the_same_is_not_spoken_of(pair: tuple[Path, Path]) -> None:
    assert _notes(pair[0].parent) == []


@pytest.mark.parametrize("compressed", [False, True])
def test_pair_that_differs_is_told_with_the_first_record_that_does(pair: tuple[Path, Path], compressed: bool) -> None:
    binary, xml = pair
    text = xml.read_text(encoding="utf-8")
    changed = text.replace("<PATH>/file_create</PATH>", "<PATH>/another</PATH>", 1)
    assert changed != text
    xml.write_text(changed, encoding="utf-8")
    if compressed:
        (xml.parent / "edits.xml.gz").write_bytes(gzip.compress(xml.read_bytes()))
        xml.unlink()
    ((file, note),) = _notes(binary.parent)
    assert file == ("edits.xml.gz" if compressed else "edits.xml")
    assert note.startswith(f"has other operations than {binary}: record ")
    assert note.endswith("has path '/another' where that has '/file_create'")


def test_records_that_only_one_has_are_told(pair: tuple[Path, Path]) -> None:
    binary, xml = pair
    first, *records, _ = xml.read_text(encoding="utf-8").split("<RECORD>")
    xml.write_text("<RECORD>".join([first, *records[:9]]) + "</EDITS>", encoding="utf-8")
    assert first_difference(binary, xml) == "record 10, OP_SET_GENSTAMP_V2, is in the binary file only"


def test_file_that_is_damaged_is_not_said_to_differ(pair: tuple[Path, Path]) -> None:
    binary, xml = pair
    binary.write_bytes(binary.read_bytes()[:3000])
    assert first_difference(binary, xml) == ""


def test_pairs_of_hadoops_history_differ_where_they_do_not_belong_together(shared_data: Path) -> None:
    with (shared_data / "edits_stored" / "index.csv").open(encoding="utf-8") as index:
        rows = list(csv.DictReader(index))
    for row in rows:
        folder = shared_data / "edits_stored" / row["name"]
        binary = next(file for file in folder.iterdir() if file.suffix != ".xml")
        differs = first_difference(binary, folder / "editsStored.xml")
        assert bool(differs) is (row["pair"] == "mismatch"), (row["name"], differs)

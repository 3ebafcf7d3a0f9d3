"""A reader of appended records gives each whole one once, whatever stands between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genstamp_dfs.gfs.records import MARK, PREFIX, STUFFED, Record, RecordId, RecordReader, decode_record, encode_record

FIRST = Record(RecordId(1, 1), b"first")
SECOND = Record(RecordId(1, 2), b"second")

# Data that is likely to look like the form itself, and records within records.
awkward = st.lists(
    st.one_of(
        st.binary(max_size=6),
        st.sampled_from([PREFIX, STUFFED, MARK, b"\x00", b"\x01", PREFIX[:2], encode_record(FIRST)]),
    ),
    max_size=5,
).map(b"".join)


def read(*chunks: bytes) -> list[Record]:
    reader = RecordReader()
    return [record for chunk in chunks for record in reader.read_chunk(chunk)]


@pytest.mark.slow
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), awkward)
def test_a_record_comes_back_as_it_was_given(writer: int, sequence: int, data: bytes) -> None:
    record = Record(RecordId(writer, sequence), data)
    encoded = encode_record(record)
    assert decode_record(encoded, 0) == (record, len(encoded))


@pytest.mark.slow
@given(st.data())
def test_every_whole_record_is_read_once_between_padding_fragments_and_duplicates(draws: st.DataObject) -> None:
    datas = draws.draw(st.lists(awkward, min_size=1, max_size=5))
    # The last byte is one with which no padding and no record begins, so what follows never makes a fragment whole.
    records = [Record(RecordId(7, number), data + b".") for number, data in enumerate(datas)]
    expected: list[Record] = []
    chunks, duplicates = [], 0
    for _ in range(draws.draw(st.integers(1, 3))):
        chunk = b""
        for _ in range(draws.draw(st.integers(0, 6))):
            record = draws.draw(st.sampled_from(records))
            encoded = encode_record(record)
            match draws.draw(st.sampled_from(["whole", "fragment", "padding"])):
                case "whole":
                    chunk += encoded
                    duplicates += record in expected
                    expected += [] if record in expected else [record]
                case "fragment":
                    chunk += encoded[: draws.draw(st.integers(0, len(encoded) - 1))]
                case _:
                    chunk += bytes(draws.draw(st.integers(0, 20)))
        chunks.append(chunk)
    reader = RecordReader()
    assert [record for chunk in chunks for record in reader.read_chunk(chunk)] == expected
    assert reader.skipped.duplicates == duplicates
    whole = sum(len(encode_record(record)) for record in expected)
    assert reader.skipped.num_bytes <= sum(map(len, chunks)) - whole


@pytest.mark.slow
@given(awkward, st.data())
def test_no_changed_byte_goes_unnoticed(data: bytes, draws: st.DataObject) -> None:
    encoded = bytearray(encode_record(Record(RecordId(3, 4), data)))
    encoded[draws.draw(st.integers(0, len(encoded) - 1))] ^= draws.draw(st.integers(1, 255))
    assert decode_record(bytes(encoded), 0) is None


def test_a_copy_within_a_record_that_was_cut_short_is_no_record() -> None:
    outer = encode_record(Record(RecordId(2, 1), encode_record(FIRST) + b"tail"))
    assert read(outer[:-1] + encode_record(SECOND)) == [SECOND]


def test_a_record_whose_length_reaches_over_a_later_one_hides_nothing() -> None:
    fragment = encode_record(Record(RecordId(2, 1), bytes(100)))[:40]
    assert read(fragment + encode_record(FIRST) + encode_record(SECOND)) == [FIRST, SECOND]


def test_a_fragment_that_padding_makes_whole_is_the_record_itself() -> None:
    record = Record(RecordId(2, 1), b"ends in zeros" + bytes(4))
    assert read(encode_record(record)[:-4] + bytes(9)) == [record]


def test_a_duplicate_in_a_later_chunk_is_dropped() -> None:
    assert read(encode_record(FIRST) + bytes(9), encode_record(FIRST) + encode_record(SECOND)) == [FIRST, SECOND]


def test_what_was_skipped_is_counted() -> None:
    reader = RecordReader()
    chunk = encode_record(FIRST)[:10] + encode_record(FIRST) + encode_record(FIRST) + bytes(5)
    assert list(reader.read_chunk(chunk)) == [FIRST]
    assert (reader.skipped.num_bytes, reader.skipped.duplicates) == (15, 1)


@pytest.mark.parametrize(
    ("writer", "sequence", "named"),
    [(-1, 0, "writer of a record is -1"), (0, 2**64, "sequence of a record is 18446744073709551616")],
)
def test_an_id_that_does_not_fit_is_refused(writer: int, sequence: int, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        RecordId(writer, sequence)

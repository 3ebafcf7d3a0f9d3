"""The event schema is one: that of the implementation, of Arrow and of Spark."""

import typing

import msgspec
import pyarrow as pa
import pytest

from genstamp.events import KINDS, Event, Place
from genstamp.logs.rows import events_table
from genstamp.logs.tables import EVENT_SCHEMA
from genstamp_dfs.events import Event as ImplementationEvent
from genstamp_dfs.events import Place as ImplementationPlace
from genstamp_dfs.events import encode_line
from genstamp_dfs.simulation.whole import run_whole

_ARROW = {
    str: pa.string(),
    int: pa.int64(),
    dict[str, str]: pa.map_(pa.string(), pa.string()),
    Place: EVENT_SCHEMA.field("place").type,
}


def _plain(hint: object) -> tuple[object, bool]:
    """A type without its annotations, and whether it may be None; a literal of words counts as a word."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Annotated:
        return _plain(arguments[0])
    if type(None) in arguments:
        rest = [argument for argument in arguments if argument is not type(None)]
        return _plain(rest[0])[0], True
    if typing.get_origin(hint) is typing.Literal:
        return str, False
    return (Place if hint is ImplementationPlace else hint), False


def _fields(struct: type[msgspec.Struct]) -> list[tuple[str, object, bool]]:
    hints = typing.get_type_hints(struct, include_extras=True)
    return [(name, *_plain(hints[name])) for name in struct.__struct_fields__]


def test_event_has_the_fields_of_the_implementation_in_their_order() -> None:
    assert _fields(ImplementationEvent) == _fields(Event)


def test_arrow_columns_are_the_fields_of_the_event() -> None:
    expected = [pa.field(name, _ARROW[hint], nullable) for name, hint, nullable in _fields(Event)]  # type: ignore[index]
    assert pa.schema(expected) == EVENT_SCHEMA


def test_spark_columns_are_the_columns_of_arrow() -> None:
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    back = to_arrow_schema(from_arrow_schema(EVENT_SCHEMA), timezone="UTC")
    assert [(field.name, str(field.type).replace(" not null", "")) for field in EVENT_SCHEMA] == [
        (field.name, str(field.type).replace(" not null", "")) for field in back
    ]


def test_every_event_of_a_simulated_run_is_an_event_here() -> None:
    written = [encode_line(event) for event in run_whole(1).events]
    read = [msgspec.json.decode(line, type=Event) for line in written]
    assert events_table(read).num_rows == len(written) > 100
    assert {event.kind for event in read} <= set(KINDS)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_number_that_no_column_holds_is_no_event(number: int) -> None:
    event = {
        "source": "s",
        "node": "n",
        "node_sequence": number,
        "kind": "file",
        "namespace": "p",
        "entity": "/",
        "event": "e",
    }
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(event), type=Event)

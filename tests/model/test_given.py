"""A declaration that is given something else is refused with its line and what to write instead."""

from typing import Any

import pytest

from genstamp_model.errors import SpecError
from genstamp_model.language import Configuration, Part, System, flag, number, sequence
from genstamp_model.language.author import authored


class Nothing(Part):
    on = flag()


SMALL = Configuration("small", sizes={})


def declare(**fields: Any) -> System:
    given: dict[str, Any] = {"name": "one", "parts": [Nothing], "configurations": [SMALL]}
    return System(**(given | fields))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 3),
        ("parts", Nothing),
        ("parts", [int]),
        ("configurations", SMALL),
        ("limits", 3),
        ("semantics", 3),
        ("semantics", {"old": ["a hole"]}),
        ("default_semantics", None),
        ("bugs", ["a bug"]),
        ("refines", [3]),
        ("may_stop", 3),
        ("meets", [3]),
        ("idle", ["act"]),
        ("omits", 3),
    ],
)
def test_a_system_refuses_a_field_of_another_kind(field: str, value: object) -> None:
    with pytest.raises(SpecError, match=rf"test_given.py:\d+: {field} of .*; write "):
        declare(**{field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", None), ("sizes", 3), ("sizes", {3: 3}), ("limits", "three"), ("on_demand", 1), ("renumber", "yes")],
)
def test_a_configuration_refuses_a_field_of_another_kind(field: str, value: object) -> None:
    given: dict[str, Any] = {"name": "small", "sizes": {}, field: value}
    with pytest.raises(SpecError, match=rf"test_given.py:\d+: {field} of .*; write "):
        Configuration(**given)


def test_a_capacity_below_0_is_refused() -> None:
    with pytest.raises(SpecError, match="the capacity of a sequence is -1; write 0 or more"):
        sequence(number(0, 1), capacity=-1)


class UnsaidError(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [(BaseException("boo"), "BaseException: boo"), (UnsaidError(), "UnsaidError: its text cannot be made")],
)
def test_any_exception_of_an_authors_is_a_sentence(problem: BaseException, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence), authored():
        raise problem


def test_an_interrupt_from_the_keyboard_is_left_alone() -> None:
    with pytest.raises(KeyboardInterrupt), authored():
        raise KeyboardInterrupt

"""What does not fit is told in the author's words: with the right article, and where two types have one name."""

from typing import Any

import pytest

from genstamp_model.errors import SpecError
from genstamp_model.language import Configuration, Index, Part, Record, System, action, flag, number, per, record


class One:
    """Declares a record."""

    class R1(Record):
        """A record."""

        a = number(0, 3)


class Other:
    """Declares another one of the same name."""

    class R1(Record):
        """A record."""

        b = number(0, 3)


class Node(Index):
    """A node."""


class Both(Part):
    """Has both."""

    one = record(One.R1)
    other = record(Other.R1)
    x = number(0, 3)


def refused(step: Any) -> str:
    """What is said of a step."""

    class Stepping(Both):
        go = action(step)

    with pytest.raises(SpecError) as error:
        System("s", parts=[Stepping], configurations=[Configuration("c", sizes={})]).model()
    return str(error.value).partition(": ")[2]


def test_two_records_of_one_name_are_told_apart_by_where_they_are_declared() -> None:
    def go(s: Any) -> None:
        s.one = s.other

    module = __name__
    assert refused(go) == (
        f"expected an R1 declared as {module}.One.R1, not an R1 declared as {module}.Other.R1 (other)"
    )


def test_a_type_of_the_language_is_told_in_the_authors_words() -> None:
    def go(s: Any) -> None:
        s.x = One.R1.type()

    assert refused(go) == "expected a number, not the type of an R1"
    with pytest.raises(SpecError, match=r"an index set, a class derived from Index, not the type of an R1$"):
        per(One.R1.type(), flag())  # type: ignore[arg-type]
    with pytest.raises(SpecError, match=r"a class derived from Record, not what is declared as a flag$"):
        record(flag())  # type: ignore[arg-type]

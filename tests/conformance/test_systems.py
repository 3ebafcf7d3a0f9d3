"""Systems are found by name, and a user's own by where they are declared."""

from pathlib import Path

import pytest

from genstamp.errors import GenstampError
from genstamp.systems import chosen, found, place_of
from genstamp_model.errors import ConfigurationError, SpecError

OWN = """
from genstamp_model.language import Configuration, Index, Part, System, action, flag, per


class Door(Index):
    '''A door.'''


class Doors(Part):
    open = per(Door, flag())

    @action
    def push(s, door: Door) -> None:
        s.open[door] = True


DOORS = System("doors", parts=[Doors], configurations=[
    Configuration("one", sizes={"Door": 1}), Configuration("many", sizes={"Door": 9}, on_demand=True)])
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own_doors.py"
    path.write_text(OWN)
    return path


def test_a_file_can_be_named(own: Path) -> None:
    system, configurations = chosen(f"{own}:DOORS")
    assert (system.name, [one.name for one in configurations]) == ("doors", ["one"])
    assert [one.name for one in chosen(f"{own}:DOORS:many")[1]] == ["many"]
    assert place_of("doors") == f"{own}:DOORS"
    assert system.instance("one").sizes.of(next(iter(system.model().index_sets))) == 1


def test_a_module_of_the_current_directory_can_be_named(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own.parent)
    assert found("own_doors:DOORS")[0].name == "doors"


def test_our_own_systems_need_only_their_name() -> None:
    assert found("hdfs.recovery")[0].name == "hdfs.recovery"
    assert found("hdfs.recovery:takeover")[1] == "takeover"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hdfs.recover", "there is no system 'hdfs.recover'; similar names: .*hdfs.recovery.*; name your own system"),
        ("no_such_module:X", "'no_such_module:X' gives no system: there is no module 'no_such_module'"),
        ("missing.py:X", "'missing.py:X' gives no system: missing.py cannot be read: No such file"),
        ("json:dumps", "'dumps' is no System there; there is none"),
    ],
)
def test_what_is_not_there_is_told(text: str, message: str) -> None:
    with pytest.raises(GenstampError, match=message):
        found(text)


def test_a_file_without_the_name_tells_what_it_has(own: Path) -> None:
    with pytest.raises(GenstampError, match="'DOOR' is no System there; there is DOORS"):
        found(f"{own}:DOOR")


def test_a_file_that_misuses_the_language_says_so(own: Path) -> None:
    own.write_text(
        OWN.replace("per(Door, flag())", "number(0, 1)")
        .replace("per\n", "per, number\n")
        .replace("flag, per", "flag, number, per")
    )
    system, _ = found(f"{own}:DOORS")
    with pytest.raises(SpecError):
        system.model()


def test_an_unknown_configuration_is_told() -> None:
    with pytest.raises(ConfigurationError, match="no configuration 'x'"):
        chosen("hdfs.recovery:x")

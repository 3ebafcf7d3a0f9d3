"""Arguments of simulated runs that make no sense are refused, and do not pass as runs without a problem."""

import pytest

from genstamp_dfs.gfs.simulation import sweep as gfs
from genstamp_dfs.simulation import sweep as hdfs
from genstamp_dfs.simulation.commands import Commands


@pytest.mark.parametrize("commands", [hdfs.COMMANDS, gfs.COMMANDS], ids=["hdfs", "gfs"])
@pytest.mark.parametrize(
    "given", [("--seeds", "0"), ("--processes", "0"), ("--mean-fault-s", "-1"), ("--sync-ms", "-1"), ("--seeds", "x")]
)
def test_numbers_out_of_range_are_refused(
    given: tuple[str, str], commands: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.sweep(given)
    assert ended.value.code == 2
    assert f"argument {given[0]}: {given[1]!r} is refused, accepted: whole numbers from" in capsys.readouterr().err

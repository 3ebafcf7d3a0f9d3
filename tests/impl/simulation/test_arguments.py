"""Arguments of simulated runs that make no sense are refused, and do not pass as runs without a problem."""

import pytest

from genstamp_dfs.simulation.sweep import main


@pytest.mark.parametrize(
    "given", [("--seeds", "0"), ("--processes", "0"), ("--mean-fault-s", "-1"), ("--sync-ms", "-1"), ("--seeds", "x")]
)
def test_numbers_out_of_range_are_refused(given: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert f"argument {given[0]}: {given[1]!r} is refused, accepted: whole numbers from" in capsys.readouterr().err

"""What goes wrong at work with files ends with the exit code that tells who has to do something."""

import pytest
import typer

from genstamp.cli.operation import run_work
from genstamp_dfs.errors import ConfigurationError, SocketTimeoutException
from genstamp_dfs.gfs.errors import MasterStarting, ReadOnlyMaster


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (ReadOnlyMaster("it is a shadow"), 1),
        (ConfigurationError("no such setting"), 2),
        (SocketTimeoutException("nobody answers"), 75),
        (MasterStarting("a log replica is away"), 75),
        (OSError(28, "No space left on device"), 75),
    ],
)
def test_each_problem_has_its_exit_code(problem: Exception, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    async def fails() -> None:
        raise problem

    with pytest.raises(typer.Exit) as ended:
        run_work(fails())
    assert ended.value.exit_code == code
    assert str(problem) in capsys.readouterr().err

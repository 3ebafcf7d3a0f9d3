"""TLC and Spin find in the exports of some of `examples/protocols` what our own search finds."""

from importlib import import_module
from pathlib import Path

import pytest

from genstamp.agree.compare import Outcome
from genstamp.agree.run import agreement
from genstamp.agree.spin import Spin
from genstamp.agree.tlc import Tlc

pytestmark = pytest.mark.slow
PROTOCOLS = Path(__file__).resolve().parents[3] / "examples" / "protocols"
ENOUGH_S = 300.0


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("cigarette_smokers", "published"),
        ("missionaries", "three"),
        ("simple_allocator", "published"),
    ],
)
def test_peers_agree(name: str, configuration: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROTOCOLS))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    result = agreement(getattr(import_module(name), name.upper()).instance(configuration), [Tlc(), Spin()], ENOUGH_S)
    for comparison in result.comparisons:
        assert comparison.outcome is Outcome.AGREE, (comparison.differences, comparison.reason)

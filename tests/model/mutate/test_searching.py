"""A search that was interrupted judges nothing, whoever asked for it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.model.mutate.test_below import LAMP, TORCH
from tests.model.mutate.test_claims import TILL

from genstamp_model.explore import INTERRUPTED, Result, Search, Verdict
from genstamp_model.mutate import baseline, below
from genstamp_model.mutate.claims import ClaimJudging, claim_mutants


def the_system_itself() -> Any:
    return baseline(TILL.model(), TILL.configurations)


def a_system_below() -> Any:
    [lower] = below("lamp", [LAMP, TORCH], ["torch:other"])
    return lower.notices(LAMP.model())


def properties() -> Any:
    return ClaimJudging(claim_mutants(TILL.model())).held(TILL.model(), TILL.configurations[0])


@pytest.mark.parametrize("judge", [the_system_itself, a_system_below, properties])
def test_an_interrupt_ends_the_judge(judge: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    run = Search.run

    def stopped(search: Search) -> Result:
        return replace(run(search), verdict=Verdict.UNDETERMINED, undetermined=INTERRUPTED)

    monkeypatch.setattr(Search, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        judge()

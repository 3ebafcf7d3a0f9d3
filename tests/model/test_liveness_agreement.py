"""The liveness judge against a second one, on random small systems; and wrong judges, which must be noticed."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest
from tests.model.fuzz_liveness import judged

from genstamp_model.explore import Verdict
from genstamp_model.explore.machine import Function, Library
from genstamp_model.liveness import components, graph

SYSTEMS = 110
STAMPED = 50
SUSPECTS = 45
FORMS = 80


@pytest.mark.slow
def test_both_judges_agree_on_random_systems() -> None:
    seen: Counter[tuple[Verdict, bool]] = Counter()
    cycles: Counter[int] = Counter()
    for seed in range(SYSTEMS):
        found, expected = judged(seed, stamps=False)
        assert (found.verdict, found.pending) == expected, f"seed {seed}"
        assert (found.lasso is not None) == (found.verdict is Verdict.VIOLATED)
        assert (found.cut is not None) == (found.verdict is Verdict.UNDETERMINED)
        seen[found.verdict, bool(found.claim.strongly_fair)] += 1
        if found.lasso is not None:
            cycles[len(found.lasso.cycle)] += 1
    # All sorts of systems were among them.
    assert all(seen[verdict, strong] >= 4 for verdict in Verdict for strong in (False, True)), seen
    assert cycles[0] >= 10
    assert sum(n for length, n in cycles.items() if length >= 3) >= 20


@pytest.mark.slow
def test_both_judges_agree_where_ordered_numbers_are_renumbered() -> None:
    risen, verdicts = 0, Counter[Verdict]()
    for seed in range(STAMPED):
        found, expected = judged(seed, stamps=True)
        assert (found.verdict, found.pending) == expected, f"seed {seed}"
        verdicts[found.verdict] += 1
        risen += found.lasso is not None and found.lasso.renumbered
    assert risen >= 5, "endless retries"
    assert min(verdicts[verdict] for verdict in Verdict) >= 3, verdicts


@pytest.mark.slow
def test_both_judges_agree_on_what_holds_again_and_again() -> None:
    seen: Counter[tuple[Verdict, int]] = Counter()
    for seed in range(FORMS):
        found, expected = judged(seed, stamps=seed % 5 == 0, forms=True)
        assert (found.verdict, found.pending) == expected, f"seed {seed}"
        seen[found.verdict, len(found.claim.again)] += 1
    assert all(seen[verdict, count] >= 2 for verdict in Verdict for count in (0, 1, 2)), seen


class ForgetsHypotheses(graph.Traps):
    """Assumes of nothing that it holds again and again."""

    def __init__(self, pending: graph.Pending, fair: Any, _again: object) -> None:
        super().__init__(pending, fair)


class ForgetsWeakness(graph.Traps):
    """Asks for no weak fairness."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._weak[:] = 0


class ForgetsStrength(graph.Traps):
    """Takes strong fairness for none."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._strong[:] = 0


class TakesStrongForWeak(graph.Traps):
    """Takes strong fairness for weak fairness."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._weak |= self._strong
        self._strong[:] = 0


class TakesWeakForStrong(graph.Traps):
    """Takes weak fairness for strong fairness."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._strong |= self._weak
        self._weak[:] = 0


class LooksOnce(graph.Traps):
    """Does not take apart what is left of an unfair component."""

    def find(self, distance: Callable[[int], int]) -> graph.Trap | None:
        self._graph = replace(self._graph, library=cast(Library, OneRound(self._graph.library)))
        return super().find(distance)


@dataclass
class OneRound:
    """A library that gives no components when it is asked for them again."""

    library: Library
    rounds: int = 0

    def run(self, function: Function[..., Any], *arguments: Any) -> int:
        self.rounds += function is components.split
        return 0 if function is components.split and self.rounds > 1 else self.library.run(function, *arguments)


class SeesNoCycles(graph.Traps):
    """Takes each state for a component of its own."""

    def __init__(self, pending: graph.Pending, fair: object, _again: object) -> None:
        alone = graph.Pending(
            pending.library,
            pending.places,
            pending.parents,
            np.zeros_like(pending.offsets),
            pending.steps,
            pending.enabled,
        )
        super().__init__(alone, fair)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [ForgetsWeakness, ForgetsStrength, TakesStrongForWeak, TakesWeakForStrong, LooksOnce, SeesNoCycles],
)
def test_a_wrong_judge_is_noticed(wrong: type[graph.Traps], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp_model.liveness.judging.Traps", wrong)
    for seed in range(SUSPECTS):
        try:
            found, expected = judged(seed, stamps=False)
        except AssertionError:
            # The lasso that it found is none.
            return
        if (found.verdict, found.pending) != expected:
            return
    pytest.fail(f"{wrong.__name__} agrees on {SUSPECTS} systems")


@pytest.mark.slow
def test_a_judge_that_forgets_hypotheses_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp_model.liveness.judging.Traps", ForgetsHypotheses)
    with pytest.raises(AssertionError, match="does not hold again and again"):
        for seed in range(SUSPECTS):
            judged(seed, stamps=False, forms=True)


@pytest.mark.slow
def test_a_judge_that_forgets_limits_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph.Pending, "is_cut", property(lambda pending: np.zeros(len(pending), np.bool_)))
    assert any(
        (found.verdict, found.pending) != expected
        for found, expected in (judged(seed, stamps=False) for seed in range(SUSPECTS))
    )

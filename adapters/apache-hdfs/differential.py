"""Makes the same random calls at Apache HDFS' namenode and at ours, and compares their answers.

    python adapters/apache-hdfs/differential.py [--release 3.4.1] [--seed 20261129] [--runs 50] [--calls 120] [--record]

Needs genstamp (`make setup`), Maven and a JDK of 17 or newer. A run is a seed and begins with empty namenodes; it ends
at the first difference, which is shrunk and printed as a story: the calls before it, and both answers. Differences that
`differential_known.py` names are counted instead. `--record` writes the figures to `differential/seen/RELEASE.json`.
The exit code is 0 if the answers are the same but for named differences, and 12 if they are not, or if a named one did
not occur in a long run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from differential_calls import Drawing
from differential_comparing import Difference, Found, compared, story
from differential_known import KNOWN
from differential_names import Names
from differential_sides import Answer, Call, Sides, orders

from genstamp_dfs.hdfs.protocol import Semantics

SEMANTICS = {"3.4.1": Semantics.HADOOP_3_4}
HERE = Path(__file__).parent
STALE_AFTER = 100_000
"""Calls after which every named difference should have occurred; one that has not is stale."""


@dataclass
class Figures:
    """What was compared: numbers of calls, by name and by what they were refused with."""

    runs: int = 0
    calls: int = 0
    made: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)


class Runner:
    """Makes runs at two namenodes."""

    def __init__(self, sides: Sides) -> None:
        self.sides = sides
        self.figures = Figures()

    def run(self, seed: int, calls: int) -> Difference | None:
        """Makes a run from a seed; gives the first difference that is not named."""
        self.sides.clear()
        self.figures.runs += 1
        drawing = Drawing(seed)
        names = Names(), Names()
        made: list[tuple[int, Call]] = []
        for number in range(1, calls + 1):
            call = drawing.draw()
            made.append((number, call))
            apache, ours = self._answers(number, call, names)
            found = compared(call, apache, ours)
            self._count(call, apache, found)
            if found is not None and found.name is None:
                return Difference(seed, tuple(made), apache, ours)
            if found is not None and found.ends_run:
                return None
            if found is not None:
                _forget(number, names)
            drawing.learn(call, apache)
        return None

    def shrunk(self, difference: Difference) -> Difference:
        """The difference with as few calls before it as are found to show it."""
        best = difference
        size = max(1, len(best.calls) // 2)
        while size:
            start = 0
            while start < len(best.calls) - 1:
                end = min(start + size, len(best.calls) - 1)
                tried = self._replayed(best, (*best.calls[:start], *best.calls[end:]))
                if tried is None:
                    start = end
                else:
                    best = tried
            size //= 2
        return best

    def _replayed(self, difference: Difference, calls: tuple[tuple[int, Call], ...]) -> Difference | None:
        """The difference if fewer calls show the same one at the last call, and none before."""
        self.sides.clear()
        names = Names(), Names()
        for number, call in calls:
            apache, ours = self._answers(number, call, names)
            found = compared(call, apache, ours)
            if found is not None and found.name is None:
                fewer = Difference(difference.seed, calls, apache, ours)
                return fewer if number == calls[-1][0] and fewer.kind == difference.kind else None
            if found is not None:
                _forget(number, names)
        return None

    def _answers(self, number: int, call: Call, names: tuple[Names, Names]) -> tuple[Answer, Answer]:
        answers = []
        for at, own in zip((self.sides.at_apache, self.sides.at_ours), names, strict=True):
            answer = orders(at) if call["call"] == "heartbeat" else at(own.resolved(call))
            at({"call": "scrub"})
            answers.append({**answer, "gives": own.named(answer["gives"], number)} if "gives" in answer else answer)
        return answers[0], answers[1]

    def _count(self, call: Call, apache: Answer, found: Found | None) -> None:
        self.figures.calls += 1
        self.figures.made[call["call"]] += 1
        if "refused" in apache:
            self.figures.refused[f"{call['call']}: {apache['refused'].rpartition('.')[2]}"] += 1
        if found is not None and found.name is not None:
            self.figures.named[found.name] += 1


def _forget(number: int, names: tuple[Names, Names]) -> None:
    """What only one of them has shown has no name."""
    for own in names:
        own.forget(number)


def main() -> int:
    """Makes the runs that the command line asks for."""
    given = _arguments()
    begun = time.monotonic()
    print(f"Apache Hadoop {given.release}, seeds {given.seed} to {given.seed + given.runs - 1}", flush=True)
    different: Counter[tuple[str, str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="genstamp-differential-") as directory:
        sides = Sides(given.release, SEMANTICS[given.release], Path(directory))
        runner = Runner(sides)
        try:
            for seed in range(given.seed, given.seed + given.runs):
                difference = runner.run(seed, given.calls)
                if difference is not None:
                    different[difference.kind] += 1
                    if different[difference.kind] == 1:
                        print(story(runner.shrunk(difference)), flush=True)
                    if len(different) == given.stop_after:
                        break
        finally:
            sides.stop()
    seconds = time.monotonic() - begun
    figures = runner.figures
    print(f"{figures.runs} runs, {figures.calls:,} calls, {seconds:.0f} s: {different.total()} different")
    for name, number in figures.named.most_common():
        print(f"named: {name}: {number}")
    if given.record and not different:
        _record(given, figures, round(seconds))
    stale = [one.name for one in KNOWN if one.name not in figures.named]
    if stale and figures.calls >= STALE_AFTER:
        print(f"named differences that did not occur: {', '.join(stale)}")
    if given.verbose:
        for what, number in sorted({**figures.made, **figures.refused}.items()):
            print(f"{number:8,} {what}")
    return 12 if different or (stale and figures.calls >= STALE_AFTER) else 0


def _record(given: argparse.Namespace, figures: Figures, seconds: int) -> None:
    """Writes the figures of a run without differences."""
    record = {
        "release": given.release,
        "semantics": SEMANTICS[given.release].value,
        "date": date.today().isoformat(),
        "first_seed": given.seed,
        "seconds": seconds,
        "figures": vars(figures),
    }
    path = HERE / "differential" / "seen" / f"{given.release}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--release", choices=SEMANTICS, default="3.4.1", help="of Hadoop (3.4.1)")
    parser.add_argument("--seed", type=int, default=20261129, help="of the first run (20261129)")
    parser.add_argument("--runs", type=int, default=50, help="with a seed each (50)")
    parser.add_argument("--calls", type=int, default=120, help="of a run at most (120)")
    parser.add_argument("--stop-after", type=int, default=10, metavar="N", help="kinds of differences (10)")
    parser.add_argument("--verbose", action="store_true", help="print how many calls were made and refused")
    parser.add_argument("--record", action="store_true", help="write the figures to differential/seen/RELEASE.json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

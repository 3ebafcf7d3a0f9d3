"""How well the checker's verdicts fit the labels of HDFS_v1: counts, and what they estimate of the full set.

The labels are read here only, after the verdicts were given; no rule knows of them.
"""

import csv
import gzip
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, fsum
from pathlib import Path

from genstamp.logs.local import check_locally

NORMAL_WEIGHT = 100
"""How many normal blocks of the full set stand behind one of the subset, for each anomalous one (data's README)."""

NORMAL_BLOCKS = 558_223
"""Normal blocks of the full set."""

CONFIDENCE = 0.95

Labels = dict[str, bool]
"""Whether a block is anomalous, by its id without `blk_`."""

Seen = dict[str, frozenset[str]]
"""What the checker says against a block: "violated", "undetermined", "unfinished"."""


@dataclass(frozen=True)
class Detection:
    """What was found of what there is.

    Attributes:
        found, missed: anomalous blocks.
        alarms, quiet: normal blocks.
    """

    found: int
    missed: int
    alarms: int
    quiet: int

    @property
    def recall(self) -> Fraction:
        """The share of the anomalous blocks that is found."""
        return Fraction(self.found, self.found + self.missed)

    @property
    def precision(self) -> Fraction | None:
        """The share of what is found that is anomalous, estimated for the full set; None if nothing is found."""
        total = self.found + NORMAL_WEIGHT * self.alarms
        return Fraction(self.found, total) if total else None

    @property
    def f1(self) -> Fraction:
        """Harmonic mean of the two; 0 if nothing is found."""
        if not self.found or self.precision is None:
            return Fraction(0)
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    @property
    def alarm_rate_max(self) -> float:
        """The largest rate of false alarms that the counts still allow, one-sided."""
        return largest_rate(self.alarms, self.alarms + self.quiet)

    @property
    def precision_min(self) -> float | None:
        """The precision at that rate; None if nothing is found."""
        if not self.found:
            return None
        return self.found / (self.found + self.alarm_rate_max * NORMAL_WEIGHT * (self.alarms + self.quiet))


def largest_rate(hits: int, trials: int) -> float:
    """The rate at which so few hits have a probability of 1 - `CONFIDENCE` (Clopper and Pearson's upper bound).

    >>> round(largest_rate(0, 2815), 5)
    0.00106
    """
    low, high = 0.0, 1.0
    if hits >= trials:
        return high
    for _ in range(100):
        rate = (low + high) / 2
        so_few = fsum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(hits + 1))
        low, high = (rate, high) if so_few > 1 - CONFIDENCE else (low, rate)
    return high


def sequence_labels(path: Path) -> tuple[Labels, dict[str, Counter[int]]]:
    """The labels of a file of sequences, and how often each event stands in each."""
    labels, events = {}, {}
    with gzip.open(path, "rt", encoding="utf-8") as text:
        for row in csv.DictReader(text):
            block_id = row["block_id"].removeprefix("blk_")
            labels[block_id] = row["label"] == "Anomaly"
            events[block_id] = Counter(map(int, row["events"].split()))
    return labels, events


def line_labels(path: Path) -> Labels:
    """The labels of the raw lines."""
    with path.open(encoding="utf-8") as text:
        return {row["block_id"].removeprefix("blk_"): row["label"] == "Anomaly" for row in csv.DictReader(text)}


def seen(path: Path, complete: bool) -> Seen:
    """What the checker says against each block of a file."""
    rows = check_locally([path], complete=complete).verdicts.select(["kind", "entity", "safety", "completion"])
    return {
        row["entity"]: frozenset({row["safety"], row["completion"]} & {"violated", "undetermined", "unfinished"})
        for row in rows.to_pylist()
        if row["kind"] == "block"
    }


def detection(labels: Labels, against: Seen, answers: Iterable[str]) -> Detection:
    """How the labels fit what is said: a block counts as found if one of some answers is given against it."""
    positive = frozenset(answers)
    counts = Counter((anomalous, bool(against[block_id] & positive)) for block_id, anomalous in labels.items())
    return Detection(counts[True, True], counts[True, False], counts[False, True], counts[False, False])

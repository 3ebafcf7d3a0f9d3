"""Makes docs/detection.md: `python -m tests.conformance.logs.detection.page` at the root of the repository.

Checks the labelled blocks of HDFS_v1 that are in the shared folder (`GENSTAMP_DATA`, by default `../shared/data`). A
test compares the page with what the data gives.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from textwrap import fill

from tests.conformance.logs.detection.families import FAMILIES, family
from tests.conformance.logs.detection.figures import (
    CONFIDENCE,
    NORMAL_BLOCKS,
    NORMAL_WEIGHT,
    Detection,
    Labels,
    Seen,
    detection,
    line_labels,
    seen,
    sequence_labels,
)

from genstamp.tables.markdown import table

PAGE = Path("docs/detection.md")

SETS = ("sequences_xu", "sequences_loghub")
LINES = "complete_traces"

MODES: Mapping[str, bool] = {"default": False, "--complete": True}
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "safety": ("violated",),
    "safety and completion": ("violated", "unfinished"),
}

_BEGINNING = f"""\
# What the specification finds in HDFS_v1

HDFS_v1 (Xu et al., SOSP 2009; the Loghub copy: Zhu et al., ISSRE 2023) is the set on which detectors of anomalies in
logs are compared. It has 575,061 blocks of a cluster of some 200 nodes in November 2008; rules of its authors label
16,838 of them as anomalous. `genstamp logs check` is not such a detector. It checks whether the protocol allows a
history; a label says that its author found the history odd. This page shows how far the two agree. No rule was derived
from a label. `python -m tests.conformance.logs.detection.page` makes the page from data that is not in the repository;
a test compares it where the data is present.

A block counts as found if it is *violated* (safety), or *violated* or *unfinished* (safety and completion); see
[logs.md](logs.md) for the verdicts. The blocks here are about half of the anomalous blocks and about half of one
hundredth of the normal blocks, so precision and F1 are estimates in which a normal block weighs {NORMAL_WEIGHT}. The
last columns give bounds with a confidence of {CONFIDENCE:.0%}: the largest rate of false alarms, the number of the
{NORMAL_BLOCKS:,} normal blocks that this rate gives, and the precision with that number of false alarms.
"""

_HEAD = (
    "found",
    "of anomalous",
    "false alarms",
    "of normal",
    "precision",
    "recall",
    "F1",
    "alarms up to",
    "blocks",
    "precision from",
)

_PUBLISHED: Mapping[str, tuple[str, str, str, str]] = {
    "decision tree (supervised)": ("0.998", "0.998", "0.998", "README of logpai/loglizer"),
    "support vector machine (supervised)": ("0.959", "0.970", "0.965", "the same"),
    "logistic regression (supervised)": ("0.955", "0.911", "0.933", "the same"),
    "LogRobust (supervised)": ("0.922", "0.959", "0.940", "README of donglee-afar/logdeep"),
    "LogAnomaly": ("0.969", "0.983", "0.976", "the same"),
    "DeepLog": ("0.958", "0.933", "0.945", "the same; the paper (CCS 2017) has 0.96"),
    "count vectors": ("0.924", "0.990", "0.956", "README of ait-aecid/anomaly-detection-log-datasets (FSE 2024)"),
    "Invariants Mining": ("0.888", "0.945", "0.915", "README of logpai/loglizer"),
    "3-grams": ("0.828", "0.933", "0.877", "README of ait-aecid/anomaly-detection-log-datasets"),
    "LogCluster": ("1.000", "0.720", "0.837", "README of logpai/loglizer"),
    "Isolation Forest": ("0.830", "0.776", "0.802", "the same"),
    "PCA": ("0.975", "0.635", "0.769", "the same"),
    "event types not seen in training": (
        "0.985",
        "0.360",
        "0.527",
        "README of ait-aecid/anomaly-detection-log-datasets",
    ),
}

_CHECKED = """\
## What is checked

In the default mode any line may be missing. Then there are only two violations that no missing line explains: a block
that is allocated twice, and a block that the NameNode uses after its removal. The order in a sequence is not reliable
(nodes have clocks of one second, and lines of one second are shuffled), so only the first violation can be checked
there, and it never occurs. Therefore the default mode finds nothing violated in sequences.

Under `--complete` no line is missing, and counts are checked too: a block is written only if it was allocated, no more
replicas are finalized than were begun, no more are deleted than were begun, and no more locations are dropped with
their block than were recorded. All blocks of the set satisfy this. The lines do not name the datanode of a replica that
is written, stored or deleted (the address after `dest:` is the sender again), so the steps of one replica cannot be
distinguished from those of another. The lines have no stamps either, so continued pipelines cannot be checked.

A history is complete when a replica was reported, or when the block is gone. The line that ends the writing of a file,
and so commits its last block, names no block. So a reported replica is used instead: a datanode of that time reports
when the last packet has arrived.
"""


def page(data: Path) -> str:
    """The page as Markdown."""
    folder = data / "hdfs_v1"
    parts = [_BEGINNING]
    for name in SETS:
        labels, events = sequence_labels(folder / f"{name}.csv.gz")
        against = {mode: seen(folder / f"{name}.csv.gz", complete) for mode, complete in MODES.items()}
        parts += [f"## {name}", "", _figures(labels, against), ""]
        parts += [*_families(labels, events, against)] if name == SETS[0] else [_OTHER_SET]
    parts += [_CHECKED, *_lines(folder), *_published()]
    return "\n".join(parts)


_OTHER_SET = """\
The blocks as the Loghub copy has them, which lost some lines and every order to delete (event 30). No verdict rests on
what was lost.
"""


def _figures(labels: Labels, against: Mapping[str, Seen]) -> str:
    rows = {
        f"{mode}, {answer}": _cells(detection(labels, those, positive))
        for mode, those in against.items()
        for answer, positive in ANSWERS.items()
    }
    return "\n".join(table("mode, answer", _HEAD, rows))


def _cells(one: Detection) -> list[str]:
    return [
        f"{one.found:,}",
        f"{one.found + one.missed:,}",
        f"{one.alarms:,}",
        f"{one.alarms + one.quiet:,}",
        _decimals(one.precision),
        _decimals(one.recall),
        _decimals(one.f1),
        f"{100 * one.alarm_rate_max:.2f} %",
        f"{one.alarm_rate_max * NORMAL_BLOCKS:,.0f}",
        _decimals(one.precision_min),
    ]


def _decimals(share: Fraction | float | None) -> str:
    return "none found" if share is None else f"{float(share):.3f}"


def _families(labels: Labels, events: Mapping[str, Counter[int]], against: Mapping[str, Seen]) -> Iterator[str]:
    """Which of the anomalous blocks are found, by what they are."""
    of_family = {
        one.name: [block_id for block_id, bad in labels.items() if bad and family(events[block_id]) is one]
        for one in FAMILIES
    }
    rows = {}
    for name, blocks in of_family.items():
        rows[name] = [f"{len(blocks):,}"]
        for those in against.values():
            counts = Counter(answer for block_id in blocks for answer in those[block_id])
            rows[name] += [f"{counts['violated']:,}", f"{counts['unfinished']:,}"]
    yield "What the anomalous blocks are, each in the first family that it fits, and what is said against them:"
    yield ""
    head = [f"{word}, {mode}" for mode in MODES for word in ("violated", "unfinished")]
    yield from table("family", ("blocks", *head), rows)
    yield ""
    for one in FAMILIES:
        yield fill(f"- **{one.name}**. {one.why}", 120, subsequent_indent="  ")
    yield ""


def _lines(folder: Path) -> Iterator[str]:
    """The same of raw lines, where seconds are known."""
    path = folder / "raw" / f"{LINES}.log.gz"
    against = {mode: seen(path, complete) for mode, complete in MODES.items()}
    of_all = line_labels(folder / "raw" / "labels.csv")
    labels = {block_id: of_all[block_id] for block_id in against["default"] if block_id in of_all}
    bad = [block_id for block_id, anomalous in labels.items() if anomalous]
    yield "## Raw lines"
    yield ""
    yield fill(
        f"`{LINES}` has every line of {len(against['default'])} blocks but the orders to delete; {len(labels)} of them"
        f" have a label, {len(bad)} are anomalous. With raw lines the NameNode's own order is known, from one second to"
        " the next. In it two blocks are used after they were removed: a late report is answered as it should be, and"
        " recorded all the same. That is found in the default mode, whatever lines may be missing, and is the one"
        " deviation from the protocol that was found in HDFS_v1. Sequences hide it.",
        120,
    )
    yield ""
    rows = {
        f"{mode}, {answer}": _cells(detection(labels, those, positive))[:4]
        for mode, those in against.items()
        for answer, positive in ANSWERS.items()
    }
    yield from table("mode, answer", _HEAD[:4], rows)
    yield ""


def _published() -> Iterator[str]:
    yield "## Published results"
    yield ""
    yield fill(
        "Results of others, on the full set with splits of their own, so not comparable to the line. All of them learn"
        " from the logs of this very cluster what is usual, or from labels what is not; the specification was written"
        " without either. In the full set 316 anomalous blocks have a count of events that normal ones have, too, so"
        " none that counts can be perfect.",
        120,
    )
    yield ""
    yield from table("method", ("precision", "recall", "F1", "source"), {k: list(v) for k, v in _PUBLISHED.items()})
    yield ""


if __name__ == "__main__":
    shared = Path(os.environ.get("GENSTAMP_DATA") or "../shared/data")
    PAGE.write_text(page(shared), encoding="utf-8")

"""Checks a damaged source as the command does, and says what is wrong with how it was taken.

All that an operator may ask for is made of it: tables, page, table, JSON. Not here: what was damaged.
"""

import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.dataset
from tests.conformance.logs.fuzz.damage import damaged
from tests.conformance.logs.fuzz.samples import sample, write

from genstamp.logs.alone import check_alone
from genstamp.logs.opening import below
from genstamp.logs.report import cases, plain, text
from genstamp.logs.run import Options
from genstamp.report import Format, document

PAGE_EACH = 500
"""Of how many sources one is shown as a page, too."""


@dataclass
class Totals:
    """What came of damaged sources.

    Attributes:
        sources: by kind of sample.
        rejects: by the first words of their reason.
        ends: by safety.
    """

    sources: Counter[str] = field(default_factory=Counter)
    rejects: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """A table of them."""
        told = [f"{self.sources.total():,} damaged sources, {self.rejects.total():,} rejects"]
        for counted in (self.sources, self.ends, self.rejects):
            told += [f"  {name:60} {count:>9,}" for name, count in counted.most_common(40)]
        return told


def try_one(name: str, seed: int, totals: Totals) -> None:
    """Damages a sample by a seed and checks it; an error that is raised names both."""
    choose = random.Random(f"{name} {seed}")
    done, files = damaged(choose, sample(name))
    with tempfile.TemporaryDirectory() as place:
        try:
            # A page takes seconds.
            page = Path(place) / "page.html" if totals.sources.total() % PAGE_EACH == PAGE_EACH - 1 else None
            options = Options(choose.random() < 0.5, out=Path(place) / "tables", html=page, stories=True)
            _try(write(files, Path(place) / "given"), options, totals)
        except Exception as error:
            raise AssertionError(f"{name}, seed {seed}, {done}: {type(error).__name__}: {error}") from error
    totals.sources[name] += 1


def _try(given: Path, options: Options, totals: Totals) -> None:
    report = check_alone([given], options)
    text(report).encode()
    for form in (Format.JSON, Format.JUNIT, Format.SARIF):
        document(form, "logs", lambda: plain(report), cases(report, True), 0.0).encode()
    totals.ends[report.safety] += 1
    for reject in _rows(options, "rejects"):
        assert reject["place"]["file"].startswith(str(given)), reject
        assert reject["reason"].strip() and len(reject["reason"]) < 2_000 and len(reject["text"]) < 2_000, reject
        totals.rejects[" ".join(reject["reason"].split()[:4])[:60]] += 1
    for verdict in _rows(options, "verdicts"):
        assert verdict["safety"] != "violated" or (verdict["failed"] and verdict["place"]["file"]), verdict


def _rows(options: Options, table: str) -> list[dict[str, Any]]:
    assert options.out is not None
    rows: list[dict[str, Any]] = pyarrow.dataset.dataset(below(options.out, table)).to_table().to_pylist()
    return rows

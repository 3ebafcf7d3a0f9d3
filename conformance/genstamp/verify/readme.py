"""The table and the figures in README.md: whether they are what a run gives, and how they are brought up to date.

A figure stands behind a comment that says where the lock has it, such as <!-- lock hdfs.recovery/HDFS-10240/depth -->
or <!-- lock hdfs.recovery/repaired/takeover/distinct -->. The table sums up a system's configurations, and its faults;
seconds are left out, and what need not be the same on every machine is `...`.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from genstamp.lock import Lock
from genstamp.verify.row import Row, Verdict, worst

README: Final = Path("README.md")
"""Where it is in the repository."""

FIGURE: Final = re.compile(r"<!-- lock (?P<path>\S+) -->(?P<figure>[\d,]*\d)")
_TABLE: Final = re.compile(r"(?<=<!-- table -->\n```text\n).*?(?=\n```)", re.S)
_HEAD: Final = ("checked", "verdict", "looked at")
_ANYTHING: Final = "..."


def shown(claim: str, rows: Sequence[Row], path: Path) -> Row:
    """The README shows the table that this run gives.

    Args:
        rows: of the whole run but this one; figures of those that do not hold are not compared.
        path: the README.
    """
    table = _TABLE.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    if table is None:
        return Row(claim=claim, verdict=Verdict.FAILURE, note=f"{path} shows no table")
    rows = summed(rows)
    given, old = {row.claim: row for row in rows}, _rows(table[0])
    wrong = []
    for name, (verdict, figures) in old.items():
        row = given.get(name)
        if name == claim:
            continue
        if row is None or verdict != Verdict.HOLDS:
            wrong.append(f"{name}: is shown as {verdict}, and no such row was given")
        elif row.verdict is Verdict.HOLDS and figures not in (row.looked_at, _ANYTHING):
            wrong.append(f"{name}: {figures} is shown, {row.looked_at} was given")
    wrong += [f"{row.claim}: is not shown" for row in rows if row.claim not in old]
    if not wrong:
        return Row(claim=claim, verdict=Verdict.HOLDS, count=len(rows), unit="rows")
    note = f"{len(wrong)} rows are shown wrongly; bring them up to date with: genstamp verify --rewrite-readme"
    return Row(claim=claim, verdict=Verdict.VIOLATED, count=len(rows), unit="rows", note=note, story=tuple(wrong))


def rewritten(text: str, rows: Sequence[Row], lock: Lock) -> str:
    """The README with the table of a run and the figures of the lock.

    Figures that it left out stay left out, and those of rows that were skipped stay as they are.

    Args:
        rows: of the whole run; all hold or were skipped, but for the README's own.
    """
    rows = summed(rows)
    table = _TABLE.search(text)
    old = _rows(table[0]) if table else {}
    lines = [_HEAD]
    for row in rows:
        _, figures = old.get(row.claim, ("", ""))
        is_kept = figures == _ANYTHING or row.verdict is Verdict.SKIPPED
        lines.append((row.claim, str(Verdict.HOLDS), figures if is_kept else row.looked_at))
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    new = "\n".join(f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}" for a, b, c in lines)
    text = _TABLE.sub(lambda found: new, text)
    return FIGURE.sub(lambda found: f"<!-- lock {found['path']} -->{figure(lock, found['path']):,}", text)


def summed(rows: Sequence[Row]) -> list[Row]:
    """The rows of a run with those of one kind and system made one, where there are several of a kind.

    >>> [row.claim for row in summed([Row(claim=f"check a:{name}", verdict=Verdict.HOLDS) for name in ("x", "y")])]
    ['check a, 2 configurations']
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(_group(row.claim), []).append(row)
    return [_one(group, members) for group, members in groups.items()]


def _group(claim: str) -> str:
    """What is shown as one row."""
    match claim.split():
        case ["check", place]:
            return f"check {place.partition(':')[0]}, %d configurations"
        case ["known", place, semantics]:
            return f"known {place.partition(':')[0]} {semantics}, %d configurations"
        case ["bug", system, _]:
            return f"bugs {system}, %d"
        case ["hole", system, _]:
            return f"holes {system}, %d"
        case ["difference", system, _]:
            return f"differences {system}, %d"
        case _:
            return claim


def _one(group: str, members: Sequence[Row]) -> Row:
    if "%d" not in group:
        assert len(members) == 1, f"two rows claim {group}"
        return members[0]
    name = (group % len(members)).replace(", 1 configurations", ", 1 configuration")
    counts = [row.count for row in members if row.count is not None]
    count = sum(counts) if counts else None
    return Row(claim=name, verdict=worst(members), count=count, unit=members[0].unit)


def figure(lock: Lock, path: str) -> int:
    """A number in the lock: SYSTEM/SEMANTICS/CONFIGURATION/FIELD of a search, or SYSTEM/NAME/depth of a bug or hole.

    Raises:
        KeyError: the lock has nothing there.
    """
    system, *above, field = path.split("/")
    match above:
        case [variation]:
            entry: object = lock[system].variations[variation]
        case [semantics, configuration]:
            entry = lock[system].semantics[semantics].searches[configuration]
        case _:
            raise KeyError(path)
    return int(getattr(entry, field))


def _rows(table: str) -> dict[str, tuple[str, str]]:
    """Verdict and figures by claim."""
    cells = [(*re.split(r"\s{2,}", line), "", "")[:3] for line in table.splitlines()[1:]]
    return {claim: (verdict, figures) for claim, verdict, figures in cells}

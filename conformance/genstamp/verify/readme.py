"""What of a run is kept to be read, and whether it is what a run gives: docs/verify.md, and the figures in README.md.

The page sums up a system's configurations, and its faults; the README's table sums up the page. Seconds are left out,
and what need not be the same on every machine is `...`. A figure is behind a comment that says where the lock has it,
such as <!-- lock hdfs.recovery/HDFS-10240/depth --> or <!-- lock hdfs.recovery/repaired/takeover/distinct -->.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from genstamp.lock import Lock
from genstamp.verify.row import Row, Verdict, worst

README: Final = Path("README.md")
"""Where it is in the repository."""

PAGE: Final = Path("docs", "verify.md")
"""Where the page with the whole table is in the repository."""

FIGURE: Final = re.compile(r"<!-- lock (?P<path>\S+) -->(?P<figure>[\d,]*\d)")
_TABLE: Final = re.compile(r"(?<=<!-- table -->\n```text\n).*?(?=\n```)", re.S)
_HEAD: Final = ("checked", "verdict", "looked at")
_TOTALS_HEAD: Final = ("kind", "of them", "verdict", "looked at")
_ANYTHING: Final = "..."
_OF_GFS: Final = "gfs "
_NUMBER: Final = re.compile(r", (\d+)(?: configurations?)?$")


def shown(claim: str, rows: Sequence[Row], page: Path, readme: Path) -> Row:
    """The page shows the table of this run, and the README its totals.

    Args:
        rows: of the whole run but this one; figures of those that do not hold are not compared.
        page, readme: where they are.
    """
    tables = [_table_in(path) for path in (page, readme)]
    if tables[0] is None or tables[1] is None:
        missing = readme if tables[0] is not None else page
        return Row(claim=claim, verdict=Verdict.FAILURE, note=f"{missing} shows no table")
    rows = summed(rows)
    given, old = {row.claim: row for row in rows}, _rows(tables[0])
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
    if tables[1] != totals(tables[0]):
        wrong.append(f"{readme.name} shows other totals than {page.name} comes to")
    if not wrong:
        return Row(claim=claim, verdict=Verdict.HOLDS, count=len(rows), unit="rows")
    note = f"{len(wrong)} rows are shown wrongly; bring them up to date with: genstamp verify --all --rewrite-readme"
    return Row(claim=claim, verdict=Verdict.VIOLATED, count=len(rows), unit="rows", note=note, story=tuple(wrong))


def page_rewritten(text: str, rows: Sequence[Row]) -> str:
    """The page with the table of a run.

    Figures that it left out stay left out, and those of rows that were skipped stay as they are.

    Args:
        rows: of the whole run; all hold or were skipped, except for the last one, on the page itself.
    """
    rows = summed(rows)
    old = _rows(_table(text) or "")
    lines = [_HEAD]
    for row in rows:
        _, figures = old.get(row.claim, ("", ""))
        is_kept = figures == _ANYTHING or row.verdict is Verdict.SKIPPED
        lines.append((row.claim, str(Verdict.HOLDS), figures if is_kept else row.looked_at))
    return _TABLE.sub(lambda found: _aligned(lines), text)


def rewritten(text: str, page: str, lock: Lock) -> str:
    """The README with the totals of a page's table, and the figures of the lock."""
    new = totals(_table(page) or "")
    text = _TABLE.sub(lambda found: new, text)
    return FIGURE.sub(lambda found: f"<!-- lock {found['path']} -->{figure(lock, found['path']):,}", text)


def totals(table: str) -> str:
    """A table of the totals of another one, a row for each kind of claim; no total is given where a figure is missing.

    What is of GFS makes a block of its own at the end.

    >>> print(totals("checked                   verdict  looked at\\n"
    ...              "check a, 2 configurations  holds   10 states\\n"
    ...              "check b, 1 configuration   holds    5 states\\n"
    ...              "bugs gfs.c, 4              holds    7 states\\n"
    ...              "tables systems             holds"))
    kind      of them  verdict  looked at
    check           3  holds    15 states
    tables          1  holds
    gfs bugs        4  holds     7 states
    """
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for claim, (verdict, figures) in _rows(table).items():
        kinds.setdefault(_kind(claim), []).append((claim, verdict, figures))
    lines = [_TOTALS_HEAD]
    for kind, members in sorted(kinds.items(), key=lambda one: one[0].startswith(_OF_GFS)):
        number = sum(int(found[1]) if (found := _NUMBER.search(claim)) else 1 for claim, _, _ in members)
        verdicts = {verdict for _, verdict, _ in members}
        verdict = verdicts.pop() if len(verdicts) == 1 else "differ"
        lines.append((kind, f"{number:,}", verdict, _added([figures for _, _, figures in members])))
    return _aligned(lines)


def _kind(claim: str) -> str:
    kind, subject, *_ = [*claim.split(), ""]
    return f"{_OF_GFS}{kind}" if subject.startswith(("gfs.", "genstamp_dfs.gfs")) else kind


def _added(figures: Sequence[str]) -> str:
    """The sum of figures of one unit."""
    if _ANYTHING in figures or not any(figures):
        return _ANYTHING if any(figures) else ""
    parts = [one.partition(" ") for one in figures if one]
    units = {unit for _, _, unit in parts}
    if len(units) > 1:
        return ""
    return f"{sum(int(number.replace(',', '')) for number, _, _ in parts):,} {units.pop()}"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Columns side by side: the first to the left, as are verdicts; numbers to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    kinds = ["<" if name in ("checked", "kind", "verdict") else ">" for name in lines[0]]
    return "\n".join(
        "  ".join(f"{cell:{kind}{width}}" for cell, kind, width in zip(line, kinds, widths, strict=True)).rstrip()
        for line in lines
    )


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
    """The claim of the row that a row is summed up in; `%d` stands for the number of rows."""
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


def _table_in(path: Path) -> str | None:
    """The table that a file shows."""
    return _table(path.read_text(encoding="utf-8")) if path.is_file() else None


def _table(text: str) -> str | None:
    found = _TABLE.search(text)
    return found[0] if found else None


def _rows(table: str) -> dict[str, tuple[str, str]]:
    """Verdict and figures by claim."""
    cells = [(*re.split(r"\s{2,}", line), "", "")[:3] for line in table.splitlines()[1:]]
    return {claim: (verdict, figures) for claim, verdict, figures in cells}

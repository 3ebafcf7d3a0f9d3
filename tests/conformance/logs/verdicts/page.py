"""Makes docs/logs.md: `python -m tests.conformance.logs.verdicts.page` at the root of the repository.

Checks every data set that is in the shared folder (`GENSTAMP_DATA`, by default `../shared/data`). A test compares the
page with what the data gives.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from tests.conformance.logs.verdicts.data_sets import DATA_SETS, DataSet
from tests.conformance.logs.verdicts.findings import Finding, Judged, explanation, judge

from genstamp.logs.tables import COMPLETIONS, COUNTED, SAFETIES
from genstamp.tables.markdown import table

PAGE = Path("docs/logs.md")

_BEGINNING = """\
# Findings in public logs

This page shows the results of `genstamp logs check` on logs that this project did not write.
[operators.md](operators.md) explains its use, [logs-tables.md](logs-tables.md) its tables, and
[logs-sources.md](logs-sources.md) what each source logs. `python -m tests.conformance.logs.verdicts.page` makes the
page from logs that are not in the repository; a test compares it where the logs are present. The page shows the default
mode, in which any line may be missing, except in an edit log without a gap. If a log is whole, the result under
`--complete` follows after a slash.

*Keys* are the entities in a log; each has one verdict. *Complete*, *unfinished* and *unknown* count files and blocks
whose creation was logged. *Slow* is the share of keys that the given order did not decide, so that other orders were
tried. Everything that is violated, undetermined, unfinished or unreadable is explained below its table.

## Real daemons of Apache HDFS

`python -m benchmarks.apache_logs DIRECTORY [--level DEBUG] [--seed N] [--release 3.5.0] [--keep] [RUN ...]` runs a
NameNode, three datanodes and real clients as processes on loopback, kills (SIGKILL) and hangs (SIGSTOP) them, and
checks their logs, without and with `--complete`. It needs Java 17 and Maven. For each run it prints the acknowledged
bytes, the bytes that are left, and the result of `genstamp logs check`. It exits with 0 only if all results are as
declared and every line that states a step was read. Logs of such runs on 3.4.1, at INFO and at DEBUG, are in
`tests/data/logs/apache`; a test checks them. In `granted_twice` a stamp is granted, the NameNode restarts and grants it
again, and a late request of a real client arrives with the first grant. In `granted_twice_repaired` the NameNode
applies the impending stamp after loading. Of 2,000 acknowledged bytes, 1,000 are left in the first run and all in the
second. The report of the first names the known hole [stamp-granted-twice](holes/stamp-granted-twice.md) and both
transactions; under `--semantics repaired` the edits are *violated*. No other key of the stored logs is *violated*,
without or with `--complete`. In six runs at DEBUG on 3.4.1 (`truncate`, `calls` and `outages` with seeds 1 and 2) no
key was falsely *violated* without `--complete`, and 1 of 13,000 with it: a rename whose audit line came after another
call had created a file at the old path. In the 16 runs at INFO with seed 1, none of 19,756 keys was falsely *violated*
without `--complete`, and 4 files were with it, in `calls` and `outages`: a create or truncate of each was audited after
lines of later calls for the same path. One more run of `outages` at DEBUG has one such file among 7,113 keys.
These runs were checked before files whose audit lines may be late became *undetermined*.
"""

_HEAD = ("files", "events", "keys", *SAFETIES, *COMPLETIONS, "slow", "not read", "answer")

Chapter = tuple[DataSet, list[Judged], list[Judged]]
"""A data set with its runs in the default mode, and those under `--complete` if they were asked for."""


def chapters(data: Path) -> list[Chapter]:
    """Every data set that is there."""
    return [
        (one, judge(one, data), judge(one, data, complete=True) if one.complete else [])
        for one in DATA_SETS
        if (data / one.folder).is_dir()
    ]


def findings(chapter: Chapter) -> list[Finding]:
    """What has to be explained of a data set, in either mode."""
    _, by_default, if_complete = chapter
    return [finding for run in (*by_default, *if_complete) for finding in run.findings]


def page(found: list[Chapter]) -> str:
    """The page as Markdown."""
    return "\n".join([_BEGINNING, *(line for chapter in found for line in _section(chapter))])


def _section(chapter: Chapter) -> Iterator[str]:
    data_set, by_default, if_complete = chapter
    yield from (f"## {data_set.title}", "", fill(f"`{data_set.folder}/`. {data_set.about}", 120), "")
    head = (*_HEAD, "tell the same") if data_set.twins else _HEAD
    answers = {run.name: _answer(run) for run in if_complete}
    yield from table("run", head, {run.name: _cells(run, answers.get(run.name)) for run in by_default})
    yield ""
    yield from _differing(by_default)
    yield from _explained(data_set, findings(chapter))


def _cells(run: Judged, if_complete: str | None) -> list[str]:
    keys = run.report.keys
    by_kind = {kind: sum(count.keys for count in keys if count.kind == kind) for kind in _kinds(run)}
    total = sum(by_kind.values())
    cells = [str(run.files), str(run.report.events)]
    keys_told = [f"{number} {kind}{'' if number == 1 else 's'}" for kind, number in by_kind.items()]
    cells.append(", ".join(keys_told) or "none")
    counted = [count for count in keys if count.kind in COUNTED and count.begun]
    cells += [str(sum(count.keys for count in keys if count.safety == safety)) for safety in SAFETIES]
    cells += [str(sum(count.keys for count in counted if count.completion == one)) for one in COMPLETIONS]
    slow = sum(count.slow for count in keys)
    cells.append(f"{100 * slow / total:.1f} %" if total else "")
    cells.append(str(sum(source.rejects for source in run.report.sources)))
    cells.append(_answer(run) if if_complete is None else f"{_answer(run)} / {if_complete}")
    return cells if run.difference is None else [*cells, "**no**" if run.difference else "yes"]


def _kinds(run: Judged) -> list[str]:
    return list(dict.fromkeys(count.kind for count in run.report.keys))


def _answer(run: Judged) -> str:
    return f"{run.report.safety}, {run.report.completion}" if run.report.keys else "no event was found"


def _differing(runs: list[Judged]) -> Iterator[str]:
    """In what files differ that should tell the same."""
    differing = [run for run in runs if run.difference]
    for run in differing:
        yield fill(f"- **{run.name}**: {run.difference}.", 120, subsequent_indent="  ")
    if differing:
        yield ""


def _explained(data_set: DataSet, found: list[Finding]) -> Iterator[str]:
    """Each explanation with what it explains."""
    for one in data_set.explanations:
        names = dict.fromkeys(each.name for each in found if explanation(data_set, each) is one)
        runs = dict.fromkeys(each.run for each in found if explanation(data_set, each) is one)
        where = f"all {len(runs)} runs" if len(runs) > 3 else " and ".join(runs)
        yield fill(f"- **{'; '.join(names)}** ({where}). {one.why}", 120, subsequent_indent="  ")
    if data_set.explanations:
        yield ""


if __name__ == "__main__":
    shared = Path(os.environ.get("GENSTAMP_DATA") or "../shared/data")
    PAGE.write_text(page(chapters(shared)), encoding="utf-8")

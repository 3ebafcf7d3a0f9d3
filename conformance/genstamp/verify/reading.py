"""The job that reads logs with Spark: Hadoop's own edit log, events of a simulated run, logs of a real failure.

Not here: the reading (`genstamp.logs`); one Spark session serves all.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from genstamp.errors import GenstampError
from genstamp.logs.alone import check_alone
from genstamp.logs.job import check_paths
from genstamp.logs.report import Report, text
from genstamp.logs.run import Options
from genstamp.logs.session import spark_session
from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

EDITS: Final = Path("tests", "data", "edits")
"""The pair of edit logs in the repository: one run, binary and as XML."""

FAILURES: Final = Path("failure_logs", "hdfs-12070")
"""Logs of HDFS-12070 in the folder of real logs: the good run has a whole lease recovery, the bad run an unfinished."""

_VERDICTS: Final = {
    "conformant": Verdict.HOLDS,
    "violated": Verdict.VIOLATED,
    "undetermined": Verdict.UNDETERMINED,
}


RUNS: Final = 10
"""Simulated runs that are checked, of consecutive seeds."""

Check = Callable[[Path, Options], Report]


def logs(context: Context, **claims: str) -> Iterator[Row]:
    """Each argument is the claim of one row: binary, xml, simulated, good, bad."""
    with spark_session() as spark:
        yield from _logs(context, lambda path, options: check_paths(spark, [path], options), **claims)


def logs_alone(context: Context, **claims: str) -> Iterator[Row]:
    """The same without Spark."""
    return _logs(context, lambda path, options: check_alone([path], options), **claims)


def _logs(context: Context, checks: Check, binary: str, xml: str, simulated: str, good: str, bad: str) -> Iterator[Row]:
    def check(path: Path, options: Options) -> Report:
        print(f"reading {path.name}", flush=True)
        return checks(path, options)

    for claim, name in ((binary, "editsStored"), (xml, "editsStored.xml")):
        yield read(check, claim, context.repository / EDITS / name, completion="complete")
    yield simulation(context, check, simulated)
    for claim, name, completion in ((good, "good", "complete"), (bad, "bad", "unfinished")):
        if context.data is None:
            yield absent(claim, "there is no folder of real logs; GENSTAMP_DATA may name one")
        else:
            yield read(check, claim, context.data / FAILURES / f"{name}-run-log.txt.gz", completion=completion)


def read(check: Check, claim: str, path: Path, options: Options | None = None, completion: str | None = None) -> Row:
    """The row of one file."""
    try:
        return judged(claim, check(path, options or Options()), completion)
    except GenstampError as problem:
        return Row(claim=claim, verdict=Verdict.FAILURE, note=str(problem))


def simulation(context: Context, check: Check, claim: str) -> Row:
    """Runs of the reference implementation with faults; their events are whole, so nothing may be missing.

    Files that clients left open when they died may be unfinished.
    """
    directory = context.directory / f"simulation-{context.seed}"
    directory.mkdir(parents=True, exist_ok=True)
    for seed in range(context.seed, context.seed + RUNS):
        print(f"seed {seed}", flush=True)
        run = run_whole(seed)
        events = directory / f"{seed}.jsonl"
        events.write_bytes(encode_lines(run.events))
        if run.problems:
            return Row(
                claim=claim,
                verdict=Verdict.VIOLATED,
                count=len(run.events),
                unit="events",
                note=f"the run with seed {seed} broke its own promises",
                story=tuple(run.problems),
                files=(f"{directory.name}/{events.name}",),
            )
    return read(check, claim, directory, Options(complete=True))


def judged(claim: str, report: Report, completion: str | None = None) -> Row:
    """The row of a report; with a completion, that must be the run's."""
    verdict = _VERDICTS[report.safety]
    note = f"{report.safety}, {report.completion}"
    if verdict is Verdict.HOLDS and completion not in (None, report.completion):
        verdict, note = Verdict.VIOLATED, f"{note}; expected was {completion}"
    return Row(
        claim=claim,
        verdict=verdict,
        count=report.events,
        unit="events",
        note=note,
        story=() if verdict is Verdict.HOLDS else tuple(text(report).splitlines()),
        data={"safety": report.safety, "completion": report.completion, "lines": report.lines},
    )


def absent(claim: str, reason: str) -> Row:
    """The row of what is not there to be judged: a failure where `GENSTAMP_REQUIRE_DATA` is 1."""
    is_required = os.environ.get("GENSTAMP_REQUIRE_DATA") == "1"
    return Row(claim=claim, verdict=Verdict.FAILURE if is_required else Verdict.SKIPPED, note=reason)

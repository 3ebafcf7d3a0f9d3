"""The verb `lock`: compares spec.lock with new results of all searches and proofs, and rewrites it on request.

Not here: how things are found and compared (`genstamp.verify`, `genstamp.lock`).
"""

from pathlib import Path
from typing import Annotated

import typer

from genstamp import exit_codes
from genstamp import lock as locks
from genstamp.cli.verify import ending_children_on_sigterm, refuse_no_checkout, run
from genstamp.errors import LockError
from genstamp.systems import PLACES, place_of, system_named
from genstamp.verify import results as writing
from genstamp.verify.plan import of_file, searches
from genstamp.verify.row import Verdict, worst
from genstamp.verify.summing import LOCK, found_in


def lock(
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="[SYSTEM]...", help="Systems, or one FILE.py; by default all.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Rewrite the lock with the results.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each processor.")] = None,
    repository: Annotated[Path, typer.Option(help="The repository's root.")] = Path(),
) -> None:
    """Run all searches and proofs that spec.lock records, and show what differs; with --write, rewrite it.

    This includes the configurations that are searched on demand only. With names of systems, the lock of the others is
    not changed. The lock of your own FILE.py is FILE.lock.

    Exit code: 0 nothing differs or the lock is written, 12 something differs or is violated, 75 and 3 as in verify.
    """
    own = [Path(name) for name in systems or () if name.endswith(".py")]
    if own and len(systems or ()) > 1:
        raise typer.BadParameter("a file of your own has a lock of its own; name it alone", param_hint="SYSTEM")
    path = own[0].with_suffix(".lock") if own else repository / LOCK
    if own:
        plan = of_file(own[0], on_demand=True)
    else:
        refuse_no_checkout(repository)
        chosen = [place_of(system_named(name).name) for name in systems] if systems else PLACES.values()
        plan = searches(path, on_demand=True, systems=chosen)
    # Coverage is not the lock's business, and what differs from it is shown here.
    plan.sums.clear()
    with ending_children_on_sigterm():
        results = run(plan, repository, None, 0, jobs)
    # What was searched to its end is kept although some leads-to is undetermined there: the lock says that, too.
    open_ = [row for row in results.rows if row.verdict is Verdict.UNDETERMINED and "lock" in row.data]
    for row in open_:
        typer.echo(f"{row.claim}: {row.note}", err=True)
    verdict = worst([row for row in results.rows if row not in open_])
    if verdict is not Verdict.HOLDS:
        for line in writing.table_lines(results):
            typer.echo(line, err=True)
        typer.echo("the lock holds what was found when all is well; this is not", err=True)
        raise typer.Exit(exit_codes.of(verdict))
    found = found_in(results.rows)
    try:
        before = locks.read(path)
        found = {**(before if systems and not own else {}), **locks.carrying(found, before)}
    except LockError:
        # It may be of another version, and is written anew; what it has of other systems must not go with it.
        if systems and not own and path.exists():
            raise
    if write:
        locks.write(path, found)
        typer.echo(f"{path} written")
        return
    try:
        differences = locks.differences(locks.read(path), found)
    except LockError as problem:
        differences = [str(problem)]
    for line in differences or [f"{path} is what was found"]:
        typer.echo(line)
    raise typer.Exit(exit_codes.VIOLATED if differences else exit_codes.HOLDS)

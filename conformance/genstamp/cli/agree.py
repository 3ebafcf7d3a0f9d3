"""The verb `agree`: runs our search, TLC and Spin on the same configuration and compares the results."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from genstamp import lock as locks
from genstamp.agree.compare import Agreement, Comparison, Outcome
from genstamp.agree.peer import Found, Peer, digest
from genstamp.agree.run import LIMIT_S, PEERS, agreement
from genstamp.cli.choosing import completed, limited, to_search
from genstamp.cli.interrupting import each
from genstamp.errors import LockError
from genstamp.report import Case, Format, Rule, document, verdict
from genstamp.report import Outcome as Reported
from genstamp.report.of_model import beginning
from genstamp.verify.summing import LOCK
from genstamp_model.language import Configuration, Instance


def agree(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]",
            autocompletion=completed,
            help="By default all configurations that are not large.",
        ),
    ],
    peer: Annotated[
        list[str] | None,
        typer.Option(help=f"{' or '.join(one.name for one in PEERS)}; by default all."),
    ] = None,
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    bug: Annotated[list[str] | None, typer.Option(help="A bug or hole to add; may be repeated.")] = None,
    max_states: Annotated[int | None, typer.Option(min=1, help="Run no peer above this number of states.")] = None,
    max_seconds: Annotated[float, typer.Option(min=1, help="Time limit of each peer on each configuration.")] = LIMIT_S,
    set_limit: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=N", help="Change a limit of the configuration.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    keep: Annotated[bool, typer.Option("--keep", help="Record the agreement in spec.lock.")] = False,
    repository: Annotated[Path, typer.Option(help="The repository's root, where the lock is.")] = Path(),
) -> None:
    """Search with TLC and Spin too, and compare distinct states, depth and the verdict of every property.

    Exit code: 0 all agree, 12 a peer finds something else, 3 a peer is missing or did not finish, or Ctrl-C, 75 a peer
    fails.
    """
    bugs = tuple(bug or ())
    if keep and bugs:
        raise typer.BadParameter("the lock does not record bugs", param_hint="--keep")
    asked = peers_named(peer)
    declared, configurations = to_search(system, bugs)
    model = declared.model(semantics, bugs)
    instances = [Instance(model, limited(one, set_limit or ())) for one in configurations]

    def judged(instance: Instance) -> Agreement:
        result = agreement(instance, asked, max_seconds, max_states)
        if form is Format.TEXT:
            for line in told(result):
                typer.echo(line)
        return result

    found, left = each("agree", instances, judged, lambda result: False)
    all_ = [*(case for result in found for case in cases(result)), *(one.case() for one in left)]
    if form is Format.TEXT:
        for open_ in left:
            typer.echo(open_.told())
    else:
        plain_ = [*map(plain, found), *(one.plain() for one in left)]
        typer.echo(document(form, "genstamp agree", lambda: plain_, all_), nl=False)
    if keep:
        for one, result in zip(configurations, found, strict=False):
            # Where a number leaves its range all may agree, and nobody has counted.
            if result.outcome is Outcome.AGREE and result.ours.distinct is not None:
                keep_in(repository / LOCK, result, one, asked)
    raise typer.Exit(verdict(all_).exit_code)


def keep_in(path: Path, result: Agreement, declared: Configuration, peers: Sequence[Peer]) -> None:
    """Record in a lock that other checkers agree.

    Args:
        path: the lock.
        result: the results of all checkers.
        declared: the configuration, of which some limits may have been changed.
        peers: those that agreed.

    Raises:
        LockError: it cannot be read, or knows another model under this name.
    """
    model = result.instance.model
    locked = locks.read(path)
    system = locked.get(model.system)
    before = system.semantics.get(model.semantics) if system is not None else None
    if before is None or before.digest != model.digest:
        raise LockError(
            path, f"it records a different {model.system} ({model.semantics}); run genstamp lock --write first"
        )
    assert result.ours.distinct is not None
    entry = locks.AgreedEntry(
        digest=model.digest,
        distinct=result.ours.distinct,
        peers={one.peer: one.version or "" for one in result.comparisons},
        limits={
            name: most
            for name, most in result.instance.configuration.limits.items()
            if most != declared.limits.get(name)
        },
        texts={peer.name: digest(peer, result.instance) for peer in peers},
    )
    locks.write(path, locks.agreeing(locked, model.system, model.semantics, declared.name, entry))


def peers_named(names: Sequence[str] | None) -> list[Peer]:
    """The peers with these names; without names, all peers."""
    known = {peer.name: peer for peer in PEERS}
    for name in names or ():
        if name not in known:
            raise typer.BadParameter(f"'{name}' is not a peer; expected {', '.join(known)}", param_hint="--peer")
    return [known[name] for name in dict.fromkeys(names or known)]


_INSTALLED_BY: Final = {
    "tlc": ": pip install 'genstamp[tlc]'",
    "spin": ": it needs the programs spin and cc on the PATH",
}


def told(result: Agreement) -> Iterator[str]:
    """The results of all checkers, in lines."""
    yield f"{name_of(result)}: {result.outcome}"
    yield f"  {'here':6}{figures(result.ours)}"
    for one in result.comparisons:
        if one.found is None:
            yield f"  {one.peer:6}absent{_INSTALLED_BY.get(one.peer, '')}"
            continue
        of = f"{len(one.differences)} of " if one.differences else ""
        yield f"  {one.peer:6}{figures(one.found)}; {one.outcome} in {of}{len(one.compared)} answers ({one.version})"
        yield from (f"    differs: {difference}" for difference in one.differences)
        if one.reason and one.found.distinct is not None:
            yield f"    undetermined: {one.reason}"
        if one.unknown:
            yield f"    not compared: {', '.join(one.unknown)}"


def name_of(result: Agreement) -> str:
    """System, configuration, semantics and bugs."""
    model = result.instance.model
    return f"{model.system}:{result.instance.configuration.name} ({', '.join([model.semantics, *model.bugs])})"


def figures(found: Found) -> str:
    """How many states were found, how deep, how fast."""
    if found.distinct is None:
        return f"{found.undetermined}, {found.seconds:.1f} s"
    depth = "" if found.depth is None else f", depth {found.depth}"
    return f"{found.distinct:,} distinct states{depth}, {found.seconds:.1f} s"


def plain(result: Agreement) -> dict[str, Any]:
    """A result as JSON."""
    model = result.instance.model
    return {
        "system": model.system,
        "configuration": result.instance.configuration.name,
        "semantics": model.semantics,
        "bugs": list(model.bugs),
        "digest": model.digest,
        "outcome": str(result.outcome),
        "exit_code": verdict(cases(result)).exit_code,
        "here": _plain_found(result.ours),
        "peers": {one.peer: _plain_comparison(one) for one in result.comparisons},
    }


def _plain_comparison(one: Comparison) -> dict[str, Any]:
    return {
        "outcome": str(one.outcome),
        "version": one.version,
        "found": None if one.found is None else _plain_found(one.found),
        "compared": list(one.compared),
        "differences": list(one.differences),
        "not_compared": list(one.unknown),
    }


def _plain_found(found: Found) -> dict[str, Any]:
    return {
        "distinct": found.distinct,
        "depth": found.depth,
        "generated": found.generated,
        "verdicts": {name: str(verdict) for name, verdict in found.verdicts.items()},
        "seconds": round(found.seconds, 3),
        "undetermined": found.undetermined,
    }


_REPORTED: Final[dict[Outcome, Reported]] = {Outcome.AGREE: "passed", Outcome.DISAGREE: "failure"}


def cases(result: Agreement) -> Iterator[Case]:
    """A test case for each peer."""
    model = result.instance.model
    for one in result.comparisons:
        text = f"{one.peer} finds the same of {model.system} as the search here"
        absent = f"{one.peer} is not on this machine" if one.outcome is Outcome.ABSENT else ""
        yield Case(
            group=f"genstamp.agree.{one.peer}",
            name=name_of(result),
            seconds=0.0 if one.found is None else one.found.seconds,
            outcome=_REPORTED.get(one.outcome, "undetermined"),
            kind=str(one.outcome),
            message="; ".join(one.differences) or one.reason or absent,
            rule=Rule(f"{model.system}/agrees-with-{one.peer}", text, beginning(model)),
        )

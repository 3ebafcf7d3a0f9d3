"""Mutants of the reference implementation: each changes its program once, and the tests of its package should fail.

`.venv/bin/python -m tests.implementation_mutants --seed 1 --number 200` draws mutants of the client, datanode,
NameNode, write-ahead log, master and chunkserver, each site with the same probability, and runs the tests of the
mutant's package: those not marked slow, then the slow ones. It prints a line a mutant and appends the results to
`tests/data/implementation_mutants.jsonl`; a mutant that stands there is not run again, unless it survived and is not
named in `tests/data/implementation_mutants.toml`, which says of survivors why they change nothing. With `--page` it
prints docs/implementation-mutants.md instead.

mutmut and cosmic-ray don't drop statements, and many of cosmic-ray's mutants are no programs: it takes the `*` of
keyword-only parameters and the `|` of annotations for operators.
"""

import argparse
import ast
import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
IMPLEMENTATION = REPOSITORY / "impl/genstamp_dfs"
RESULTS = REPOSITORY / "tests/data/implementation_mutants.jsonl"
REVIEWED = RESULTS.with_suffix(".toml")
MOST_S = 300
_NOTICED = ("tests", "slow tests", "time")

# Which tests are a package's own, below tests/impl.
PACKAGES = {
    "hdfs/namenode": ("namenode",),
    "hdfs/datanode": ("datanode",),
    "hdfs/client": ("client", "scenarios"),
    "world": ("namenode", "gfs/master", "simulation"),
    "gfs/master": ("gfs/master",),
    "gfs/chunkserver": ("gfs/chunkserver",),
}

_NEIGHBOURS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes:
        package: A key of PACKAGES.
        file: Below impl/genstamp_dfs.
        line: Where, from 1.
        before: The first line of the statement that is changed.
        after: The same afterwards; "pass" where the statement is dropped.
    """

    package: str
    file: str
    line: int
    before: str
    after: str


@dataclass(frozen=True)
class Result(Mutant):
    """A mutant that was run.

    Attributes:
        seed: The seed that drew it.
        noticed: "tests", "slow tests", "time" (the tests did not end), or "" where it survived.
        by: The first test that failed.
    """

    seed: int
    noticed: str
    by: str


def mutants(source: str, wanted: int | None = None) -> Iterator[tuple[int, str, str, str]]:
    """Give the mutants of a module, or only the one with this number.

    Yields:
        The line, the first line of the statement before and after, and the whole module changed.
    """
    tree = ast.parse(source)
    for number, (statement, node, field, place, changed) in enumerate(_sites(tree, tree)):
        if wanted is not None and number != wanted:
            continue
        value = getattr(node, field)
        before = value if place is None else value[place]
        text = _first_line(statement)
        _put(node, field, place, changed)
        after = _first_line(changed if statement is before else statement)
        whole = ast.unparse(tree)
        _put(node, field, place, before)
        yield statement.lineno, text, after, whole


def _first_line(statement: ast.AST) -> str:
    return ast.unparse(statement).split("\n")[0]


def _put(node: ast.AST, field: str, place: int | None, value: ast.AST) -> None:
    if place is None:
        setattr(node, field, value)
    else:
        getattr(node, field)[place] = value


def _sites(node: ast.AST, statement: ast.AST) -> Iterator[tuple[ast.stmt, ast.AST, str, int | None, ast.AST]]:
    """Give each place below a node that a mutant changes: its statement, the node, the field, and what comes there."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for place, below in enumerate(value) if isinstance(value, list) else ((None, value),):
            if not isinstance(below, ast.AST) or _is_left_out(below):
                continue
            inner = below if isinstance(below, ast.stmt) else statement
            assert isinstance(inner, ast.stmt), "a module consists of statements"
            yield from ((inner, node, field, place, changed) for changed in _changes(node, field, below))
            yield from _sites(below, inner)


def _is_left_out(node: ast.AST) -> bool:
    """Tell what says nothing about behaviour: docstrings, messages, assertions, logging, imports."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in ("_LOG", "log", "logger", "logging", "_log")
    return False


def _changes(node: ast.AST, field: str, below: ast.AST) -> Iterator[ast.AST]:
    if type(below) in _NEIGHBOURS:
        yield _NEIGHBOURS[type(below)]()
    match below:
        case ast.Constant(value=bool()):
            yield ast.Constant(not below.value)
        case ast.Constant(value=int() as number):
            yield ast.Constant(number + 1)
        case ast.UnaryOp(op=ast.Not()):
            yield below.operand
        case ast.BoolOp(values=[_, *_]):
            for place in range(len(below.values)):
                shorter = copy.copy(below)
                shorter.values = [*below.values[:place], *below.values[place + 1 :]]
                yield shorter if len(shorter.values) > 1 else shorter.values[0]
        case ast.Raise() | ast.Assign() | ast.AugAssign() | ast.Delete() | ast.Expr() | ast.Break() | ast.Continue():
            # In the body of a class it is a declaration: dropping it is no change of behaviour but of shape.
            if not isinstance(node, ast.ClassDef | ast.Module):
                yield ast.Pass()
        case ast.Return(value=ast.expr()):
            yield ast.Return(ast.Constant(None))
    is_condition = field == "test" and isinstance(node, ast.If | ast.While | ast.IfExp)
    if is_condition and isinstance(below, ast.expr) and not isinstance(below, ast.UnaryOp):
        yield ast.UnaryOp(ast.Not(), below)


def drawn(seed: int, number: int) -> list[tuple[Mutant, str]]:
    """Draw mutants of all packages, each with the changed module, in the order in which they are run."""
    sites = []
    for package in PACKAGES:
        for path in sorted((IMPLEMENTATION / package).rglob("*.py")):
            # Another default of a setting is another setting, not a fault.
            if path.name != "configuration.py":
                tree = ast.parse(path.read_text())
                sites += [(package, path, place) for place, _ in enumerate(_sites(tree, tree))]
    print(f"seed {seed} draws {number} of {len(sites)} mutants", file=sys.stderr)
    found = []
    for package, path, place in random.Random(seed).sample(sites, number):
        [(line, before, after, whole)] = mutants(path.read_text(), place)
        found.append((Mutant(package, str(path.relative_to(IMPLEMENTATION)), line, before, after), whole))
    return found


def _run(mutant: Mutant, whole: str, seed: int) -> Result:
    """Run the tests of the mutant's package on a copy of the implementation with the changed module."""
    tests = [f"tests/impl/{name}" for name in PACKAGES[mutant.package]]
    with tempfile.TemporaryDirectory(prefix="genstamp-mutant-") as folder:
        shutil.copytree(IMPLEMENTATION, Path(folder, "genstamp_dfs"), ignore=shutil.ignore_patterns("__pycache__"))
        Path(folder, "genstamp_dfs", mutant.file).write_text(whole)
        for noticed, marks in (("tests", "not slow"), ("slow tests", "slow")):
            by = _first_failure(folder, tests, marks)
            if by is not None:
                return Result(**asdict(mutant), seed=seed, noticed="time" if by == "time" else noticed, by=by)
    return Result(**asdict(mutant), seed=seed, noticed="", by="")


def _first_failure(folder: str, tests: Sequence[str], marks: str) -> str | None:
    """Give the first test that fails, "time" if the tests don't end, None if all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", marks]
    command += ["--timeout", "60", "--hypothesis-seed", "0", "--tb", "no", "-rfE", *tests]
    environment = {**os.environ, "PYTHONPATH": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=MOST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "time"
    if ended.returncode in (0, 5):
        return None
    failed = [line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0].split()[1] if failed else f"exit {ended.returncode}"


def results() -> list[Result]:
    """What was run so far; of a mutant that was run twice, the last result."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    found = [Result(**json.loads(line)) for line in lines]
    return list({_key(result): result for result in found}.values())


def reviewed() -> dict[tuple[str, str, str], str]:
    """Why survivors change nothing: reasons by file, text before and after."""
    rows = tomllib.loads(REVIEWED.read_text())["survivors"]
    return {(row["file"], row["before"], row["after"]): row["reason"] for row in rows}


def _key(mutant: Mutant) -> tuple[str, str, str]:
    # Without the line, which changes with whatever is written above.
    return mutant.file, mutant.before, mutant.after


def page() -> Iterator[str]:
    """The lines of docs/implementation-mutants.md."""
    found, reasons = results(), reviewed()
    yield "# Mutation testing of the reference implementation"
    yield ""
    yield "Made by `.venv/bin/python -m tests.implementation_mutants --page`."
    yield ""
    yield "Each mutant changes the implementation once: it drops a statement, negates a condition, or replaces a"
    yield "comparison or a constant. The tests of the package should notice. Logging, assertions, messages and default"
    yield "settings are left out."
    yield ""
    yield "| package | mutants | change nothing | noticed | by slow tests only | survive |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for package in (*PACKAGES, "all"):
        of_it = [one for one in found if package in (one.package, "all")]
        same = sum(_key(one) in reasons for one in of_it if not one.noticed)
        noticed, slow = (sum(one.noticed in names for one in of_it) for names in (_NOTICED, ("slow tests",)))
        share = f"{noticed} ({noticed / (len(of_it) - same):.1%})" if len(of_it) > same else "0"
        yield f"| {package} | {len(of_it)} | {same} | {share} | {slow} | {len(of_it) - same - noticed} |"
    for title, is_reviewed in (("Survivors", False), ("Mutants that change nothing", True)):
        yield ""
        yield f"## {title}"
        yield ""
        rows = [one for one in found if not one.noticed and (_key(one) in reasons) is is_reviewed]
        for one in sorted(rows, key=_key):
            reason = f": {reasons[_key(one)]}" if is_reviewed else ""
            yield f"- {one.file}: `{_short(one.before)}` becomes `{_short(one.after)}`{reason}"
        if not rows:
            yield "None."


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw mutants, run each that was not run before, and append the results."""
    parser = argparse.ArgumentParser(prog="python -m tests.implementation_mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1, help="mutants that are run side by side")
    parser.add_argument("--page", action="store_true", help="print the page of the results")
    given = parser.parse_args(arguments)
    if given.page:
        print("\n".join(page()))
        return
    known = {_key(result) for result in results() if result.noticed} | set(reviewed())
    asked = [(mutant, whole) for mutant, whole in drawn(given.seed, given.number) if _key(mutant) not in known]
    with ThreadPoolExecutor(given.workers) as pool, RESULTS.open("a") as file:
        for result in pool.map(lambda one: _run(one[0], one[1], given.seed), asked):
            file.write(json.dumps(asdict(result)) + "\n")
            file.flush()
            print(
                f"{result.noticed or 'SURVIVES':10} {result.file}:{result.line}: {result.before!r} -> {result.after!r}"
            )


if __name__ == "__main__":
    main()

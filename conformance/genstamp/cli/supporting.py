"""What `prove --search` prints: supporting invariants that were found, as text to paste and as JSON."""

from collections.abc import Iterator

from genstamp_model.prove import Strengthening


def told(found: Strengthening) -> Iterator[str]:
    """What was looked for, what was found, and the declarations to paste."""
    yield f"{found.instance.model.system}:{found.instance.configuration.name}: {found.verdict}"
    yield from (f"  {line}" if line else "" for line in found.lines())


def plain(found: Strengthening) -> dict[str, object]:
    """What was found as JSON."""
    return {
        "system": found.instance.model.system,
        "configuration": found.instance.configuration.name,
        "verdict": found.verdict.value,
        "goals": list(found.goals),
        "proved": {name: list(given) for name, given in found.proved.items()},
        "supporting": [
            {"name": one.declared.name, "given": list(one.declared.given), "declaration": "\n".join(one.lines())}
            for one in found.supporting
        ],
        "candidates": found.candidates,
        "candidates_cut": found.cut,
        "inductive_candidates": found.inductive,
        "undetermined": found.undetermined,
        "seconds": round(found.seconds, 3),
    }

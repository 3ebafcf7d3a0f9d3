"""A search for a state that shows something is a search for what breaks the claim that no state ever does."""

from dataclasses import replace

from genstamp_model.errors import ConfigurationError
from genstamp_model.interest import Interest, interests
from genstamp_model.language.ir import disjunction, negation
from genstamp_model.language.model import Instance, Model


def never_shown(instance: Instance, witness: str) -> Instance:
    """The instance with the only claim that no state shows a witness, or lets a property fail.

    Args:
        witness: the name of a witness, or of another property; with a number after a point, of that part of it.

    Raises:
        ConfigurationError: there is no witness or other property of this name, or no such part of it.
    """
    claim = {claim.name: claim for claim in instance.model.properties}.get(witness)
    if claim is not None and claim.kind == "witness":
        never = replace(claim, kind="invariant", parameters=(), condition=negation(claim.closed))
    else:
        parts = _parts(instance.model, witness)
        kind = "transition" if any(part.two_states for part in parts) else "invariant"
        where = disjunction([part.where for part in parts])
        never = replace(parts[0].claim, kind=kind, parameters=(), condition=negation(where), target=None)
    return Instance(replace(instance.model, properties=(never,), may_stop=None), instance.configuration)


def _parts(model: Model, name: str) -> list[Interest]:
    """The parts of a property, or the one whose number stands after its name."""
    found: dict[str, list[Interest]] = {}
    for interest in interests(model):
        found.setdefault(interest.claim.name, []).append(interest)
    property_, _, number = name.partition(".")
    parts = found.get(property_, [])
    if number.isdecimal():
        parts = parts[int(number) - 1 : int(number)] if int(number) else []
    if not parts or (number and not number.isdecimal()):
        witnesses = ", ".join(claim.name for claim in model.properties if claim.kind == "witness")
        others = ", ".join(found)
        raise ConfigurationError(
            f"{model.system} has no witness '{name}'; it has {witnesses or 'none'}, and these properties could fail "
            f"somewhere: {others or 'none'}"
        )
    return parts

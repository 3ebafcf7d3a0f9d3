"""The modelling language: guarded actions over typed state, written as ordinary Python functions that are traced once.

A specification imports its words from here and from nowhere else in this package:

    class Rm(Index, symmetric=True): ...              an index set; how many members, a configuration says
    class TwoPhase(Part):                             variables and steps of one actor
        state = per(Rm, enumeration(RmState))

        @action
        def prepare(s, rm: Rm) -> None:               a step: checks in order, then effects
            require(s.state[rm].at(RmState.WORKING), "the manager is working")
            s.state[rm] = RmState.PREPARED

    System("two_phase", parts=[TwoPhase], configurations=[Configuration("three", sizes={"Rm": 3})])

See `model/README.md` for the whole language, with an example of each form.
"""

from genstamp_model.errors import ConfigurationError, EvaluationError, ModelError, SpecError
from genstamp_model.language.beginning import any_of
from genstamp_model.language.containers import Array, Bag, Members, Sequence
from genstamp_model.language.declare import (
    Part,
    action,
    always_eventually,
    eventually_always,
    initially,
    invariant,
    leads_to,
    limit,
    observation,
    transition,
    witness,
)
from genstamp_model.language.ending import ANYWHERE, NOWHERE

# Not among the words that a star brings: an attempt is for annotations, and HDFS has attempts of its own.
from genstamp_model.language.forms import Attempt as Attempt
from genstamp_model.language.forms import (
    attempt,
    case,
    choose,
    count,
    each,
    either,
    exists,
    forall,
    largest,
    maximum,
    minimum,
    observe,
    pick,
    repairs,
    require,
    since,
    smallest,
    those,
    way,
    when,
)
from genstamp_model.language.lifecycles import Lifecycle
from genstamp_model.language.members import Index, Maybe, named, none
from genstamp_model.language.model import Configuration, Instance, Model
from genstamp_model.language.refinement import RefinementDeclaration
from genstamp_model.language.system import OTHER_STATES, Bug, Difference, Hole, System, Variation
from genstamp_model.language.values import Bool, Enumerated, Number, Ordered
from genstamp_model.language.variables import (
    Record,
    bag,
    enumeration,
    flag,
    lifecycle,
    members,
    number,
    optional,
    ordered,
    per,
    record,
    reference,
    sequence,
)

__all__ = [
    "ANYWHERE",
    "NOWHERE",
    "OTHER_STATES",
    "Array",
    "Bag",
    "Bool",
    "Bug",
    "Configuration",
    "ConfigurationError",
    "Difference",
    "Enumerated",
    "EvaluationError",
    "Hole",
    "Index",
    "Instance",
    "Lifecycle",
    "Maybe",
    "Members",
    "Model",
    "ModelError",
    "Number",
    "Ordered",
    "Part",
    "Record",
    "RefinementDeclaration",
    "Sequence",
    "SpecError",
    "System",
    "Variation",
    "action",
    "always_eventually",
    "any_of",
    "attempt",
    "bag",
    "case",
    "choose",
    "count",
    "each",
    "either",
    "enumeration",
    "eventually_always",
    "exists",
    "flag",
    "forall",
    "initially",
    "invariant",
    "largest",
    "leads_to",
    "lifecycle",
    "limit",
    "maximum",
    "members",
    "minimum",
    "named",
    "none",
    "number",
    "observation",
    "observe",
    "optional",
    "ordered",
    "per",
    "pick",
    "record",
    "reference",
    "repairs",
    "require",
    "sequence",
    "since",
    "smallest",
    "those",
    "transition",
    "way",
    "when",
    "witness",
]

"""From the intermediate representation to scalars: quantifiers unrolled, structures taken apart.

Written once for all judges that need scalars: the compiled search gives an algebra that builds a graph of machine
operations, the prover one that builds Z3 terms. What has no finite form is not handled here: a sequence or bag with a
limit gets as many places as its configuration allows.
"""

from genstamp_model.expand.beginning import Beginnings, beginnings
from genstamp_model.expand.cells import Cell, cells, from_cells, initial_cells, to_cells
from genstamp_model.expand.steps import Expansion, Step, plain_arguments
from genstamp_model.expand.trees import Algebra, Items, Slot

__all__ = [
    "Beginnings",
    "beginnings",
    "Algebra",
    "Cell",
    "Expansion",
    "Items",
    "Slot",
    "Step",
    "cells",
    "from_cells",
    "initial_cells",
    "plain_arguments",
    "to_cells",
]

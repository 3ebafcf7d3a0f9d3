"""Search on Spark: for state spaces that outgrow a machine.

States are divided into parts by their hash. A level is one query: its states are expanded (`rounds.Expanding`), their
successors and all states that are known are shuffled to their parts, and there those successors remain that are not
known (`rounds.Entering`). What remains is kept as a checkpoint. The functions of the model are the compiled ones of the
local search, and what is found is the same. A level has a fixed cost of some tenths of a second, and what is known is
looked through once a level, so this pays only where a local search does not fit.

Not here: symmetry beyond what the compiled functions do, and fingerprints.
"""

from genstamp.scaleout.board import SparkBoard, explore_on_spark

__all__ = ["SparkBoard", "explore_on_spark"]

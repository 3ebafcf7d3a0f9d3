"""Search on Spark: for state spaces that outgrow a machine.

States are owned by their hash. The states that each owner found on each level stand in files of a directory that all
executors share; a level is one Spark job, in which each owner expands its states of the level (`work.Expanding`), the
successors are shuffled to their owners, and each keeps those that are new (`work.Entering`). The functions of the model
are the compiled ones of the local search, and what is found is the same. A level has a fixed cost of some tenths of a
second, so this pays only where a local search does not fit.

Left out: symmetry beyond what the compiled functions do, fingerprints, and spilling: the files are the store.
"""

from genstamp.scaleout.board import SparkBoard, explore_on_spark

__all__ = ["SparkBoard", "explore_on_spark"]

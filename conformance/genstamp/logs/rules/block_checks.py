"""Checks of a block's stamp, recovery id and length, and sets of its states, for all rules about blocks."""

from genstamp.logs.rules.shape import Check, Register, Sets, states

STAMP, RECOVERY_ID, LENGTH = Register

STAMP_IS_STORED = Check("generation_stamp", "is", STAMP)
STAMP_IS_NEW = Check("generation_stamp", "above", STAMP)
LENGTH_IS_STORED = Check("num_bytes", "is", LENGTH)
LENGTH_NOT_LOWER = Check("num_bytes", "at_least", LENGTH)
ID_ABOVE_FORMER = Check("recovery_id", "above", RECOVERY_ID)
ID_ABOVE_STAMP = Check("recovery_id", "above", STAMP)
ID_IS_CURRENT = Check("recovery_id", "is", RECOVERY_ID)
ID_NOT_BELOW_STAMP = Check("recovery_id", "at_least", STAMP)
ID_WAS_GIVEN_OUT = Check("recovery_id", "at_most", RECOVERY_ID)

AS_GIVEN: Sets = {STAMP: "generation_stamp", LENGTH: "num_bytes"}
COMPLETE = states("complete")
NOT_THERE = states("absent", "removed")
GIVEN_OUT = states("under_construction", "under_recovery", "committed", "complete", "removed")

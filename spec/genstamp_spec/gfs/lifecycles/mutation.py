"""The life of one mutation of a chunk: a write or a record append, figure 2 of the paper.

Leaves out: which replicas have applied it, at which offset, and what is in it.

Events: push, order, apply, acknowledge, fail, retry.
"""

from statemachine import State, StateMachine


class MutationLifecycle(StateMachine):
    """One mutation as its client sees it, numbers as in figure 2.

    A mutation that failed may stand at some replicas.
    """

    absent = State("absent", initial=True)
    data_pushed = State("data pushed")
    ordered = State("ordered")
    applied = State("applied")
    failed = State("failed")
    acknowledged = State("acknowledged", final=True)

    push = absent.to(data_pushed)  # section 3.1, step 3: every replica has the data in its buffer
    order = data_pushed.to(ordered)  # section 3.1, step 4: the primary gives it a serial number and applies it
    apply = ordered.to(applied)  # section 3.1, steps 5 and 6: all secondaries have applied it in that order
    acknowledge = applied.to(acknowledged)  # section 3.1, step 7
    fail = failed.from_(data_pushed, ordered, applied)  # section 3.1, step 7: any replica's error, or no answer
    retry = failed.to(data_pushed)  # section 3.1: steps 3 to 7 again

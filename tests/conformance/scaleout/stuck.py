"""A system that stops where it may not: two philosophers who each hold the fork that the other one needs."""

from genstamp_model.language import Configuration, Index, Part, System, action, flag, forall, per, require


class Fork(Index):
    """A fork; who owns it takes it first, and the other one second."""


class Dinner(Part):
    """Forks on a table."""

    taken = per(Fork, flag())

    @action
    def take_own(s, fork: Fork) -> None:
        """Its owner takes a fork."""
        require(~s.taken[fork], "the fork is free")
        s.taken[fork] = True


STUCK = System(
    "stuck",
    parts=[Dinner],
    configurations=[Configuration("two", sizes={"Fork": 2})],
    may_stop=lambda s: ~forall(Fork, lambda fork: s.taken[fork]),
)

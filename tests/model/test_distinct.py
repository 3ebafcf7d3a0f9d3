"""A bag of distinct messages is a set."""

from genstamp_model.explore import explore
from genstamp_model.language import Bool, Configuration, Part, Record, System, action, bag, flag, invariant
from genstamp_model.prove import Verdict, prove


class Ping(Record):
    """A call."""

    loud = flag()


class Calls(Part):
    """Calls that are made again and again, each of them there at most once."""

    calls = bag(Ping, limit="calls", distinct=True)

    @action
    def call(s) -> None:
        """Twice in one step."""
        s.calls.send(Ping(loud=True))
        s.calls.send(Ping(loud=True))

    @action
    def answer(s) -> None:
        """Any call."""
        s.calls.take(s.calls.receive())

    @invariant(inductive=True)
    def a_loud_one_is_there_once(s) -> Bool:
        """Copies would be more."""
        return s.calls.every(lambda ping: ping.loud) & (s.calls.size() <= 1)


CALLS = System("calls", parts=[Calls], configurations=[Configuration("one", sizes={}, limits={"calls": 2})])


def test_a_message_is_there_once() -> None:
    found = explore(CALLS.instance())
    assert (found.states, dict(found.cuts)) == (2, {"calls": 0})
    assert prove(CALLS.instance()).proof("a_loud_one_is_there_once").verdict is Verdict.PROVED

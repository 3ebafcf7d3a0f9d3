"""What a caller of `genstamp` can get wrong; our own bugs are assertions, a protocol's refusals are values."""


class GenstampError(Exception):
    """Base of every error that `genstamp` raises on purpose; its text is one sentence for the user."""


class SettingError(GenstampError):
    """An environment variable has a value that is not understood.

    Attributes:
        variable: its name.
        value: what it was set to.
    """

    def __init__(self, variable: str, value: str, accepted: str) -> None:
        super().__init__(f"environment variable {variable} is {value!r}, accepted is {accepted}")
        self.variable = variable
        self.value = value


class DrawingError(GenstampError):
    """A layout engine refused a graph.

    Attributes:
        engine: "dot" or "wheel".
        reason: what the engine said.
    """

    def __init__(self, engine: str, reason: str) -> None:
        super().__init__(f"layout engine {engine!r} refused the graph: {reason}")
        self.engine = engine
        self.reason = reason


class MembersError(GenstampError):
    """The members named for a run do not fit the model's index sets.

    Attributes:
        index_set: the set at fault.
    """

    def __init__(self, index_set: str, problem: str) -> None:
        super().__init__(f"members of {index_set}: {problem}")
        self.index_set = index_set

"""An author's functions, followed instruction by instruction: what their names stand for, and whether that changes.

Only functions are followed of which the text, or what they are given, says that there may be something to see.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from genstamp_model.errors import SpecError
from genstamp_model.language.asked import Place, wrong_of_call
from genstamp_model.language.closures import Closures, late_stores
from genstamp_model.language.iterators import Iterators, may_hold

Refuse = Callable[[SpecError], SpecError]
"""Keeps a misuse, which is then raised."""


class Following:
    """The functions that are followed while one action or property is traced.

    Args:
        refuse: keeps a misuse.
        state: what the state is now, to be compared with what it was.
    """

    def __init__(self, refuse: Refuse, state: Callable[[], object]) -> None:
        self._refuse = refuse
        self._closures, self._iterators = Closures(), Iterators(state)

    def refuse_late(self, frame: FrameType) -> None:
        """Refuse the call of a function if a name that it reads was assigned since it was made.

        Raises:
            SpecError: it was.
        """
        late = self._closures.late(frame)
        if late is not None:
            raise self._refuse(late)

    def enters(self, frame: FrameType) -> None:
        """Note that a context manager is entered, if the function that begins says so."""
        if frame.f_code.co_name == "__enter__":
            self._iterators.entered.update(id(one) for one in frame.f_locals.values())

    def begin(self, frame: FrameType, place: Place | None, others: Any) -> Any:
        """What looks at each instruction of a function that begins.

        Args:
            frame: of the function.
            place: where the text does something with what it gives, if that may be wrong.
            others: what a debugger, or what measures coverage, has for it, and which goes on.
        """
        stores = late_stores(frame.f_code)
        if not stores and not may_hold(frame):
            return others if place is None else self.until_end(frame, place, others)

        def look(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal others
            problem = None
            if event == "opcode":
                if frame.f_lasti in stores:
                    self._closures.assigned(stores[frame.f_lasti], frame)
                problem = self._iterators.loaded(frame)
            elif event == "return":
                problem = self._iterators.left(frame, argument)
                if place is not None and problem is None and argument is not None:
                    problem = wrong_of_call(place, frame, argument)
            if problem is not None:
                raise self._refuse(problem)
            if others is not None and event != "opcode":
                others = others(frame, event, argument)
            return look

        frame.f_trace_opcodes = True
        return look

    def until_end(self, frame: FrameType, place: Place, others: Any) -> Any:
        """What looks at what a function gives that begins, where the text asks, compares or drops that."""

        def look(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal others
            problem = wrong_of_call(place, frame, argument) if event == "return" else None
            if problem is not None:
                raise self._refuse(problem)
            others = others(frame, event, argument) if others is not None else None
            return look

        frame.f_trace_lines = others is not None
        return look

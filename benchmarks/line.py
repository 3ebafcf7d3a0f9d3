"""A line of a benchmark's table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """What one checker did with one subject.

    Attributes:
        generated, bytes_a_state: None where the checker does not say.
        prepared_seconds: what came before the search: tracing and compiling.
        comparable: the states are the same ones as ours, so that speeds can be compared.
    """

    subject: str
    who: str
    states: int
    generated: int | None
    seconds: float
    bytes_a_state: float | None
    prepared_seconds: float | None
    comparable: bool = True

    def __str__(self) -> str:
        generated = f"{self.generated:>13,}" if self.generated is not None else f"{'':>13}"
        size = f"{self.bytes_a_state:>7.1f}" if self.bytes_a_state is not None else f"{'':>7}"
        prepared = f"{self.prepared_seconds:>7.2f}" if self.prepared_seconds is not None else f"{'':>7}"
        speed = f"{self.states / self.seconds / 1e6:>8.3f}"
        who = f"{self.subject:<30}{self.who:<36}"
        return f"{who}{self.states:>12,}{generated}{self.seconds:>9.2f}{speed}{size}{prepared}"


HEADER = f"{'':<66}{'states':>12}{'generated':>13}{'seconds':>9}{'M/s':>8} {'B/st':>6} {'before':>6}"

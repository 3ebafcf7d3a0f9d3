"""What was answered to calls that may happen only once, for clients that ask again because an answer was lost.

Only calls that succeeded are remembered; one that was refused is executed again.

Source: RetryCache, NN/FSNamesystem#getRetryCache, Hadoop 3.4.1; facts E.0.
"""

from typing import Any

from genstamp_dfs.hdfs.namenode.edit_ops import CallOfClient
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class RetryCache:
    """Answers by client and call id, each for a time."""

    def __init__(self, expiry_ms: int) -> None:
        self._expiry_us = expiry_ms * MICROSECONDS_A_MILLISECOND
        self._answers: dict[CallOfClient, tuple[Any, int]] = {}

    def add(self, call: CallOfClient, answer: Any, now_us: int) -> None:
        """Remember the answer to a call; one that has no client id cannot be repeated."""
        if call.client_id:
            self._forget_expired(now_us)
            self._answers[call] = (answer, now_us + self._expiry_us)

    def find(self, call: CallOfClient, now_us: int) -> tuple[Any, ...]:
        """The answer to the call in a tuple, which is empty if none is remembered.

        One that has expired is forgotten only when another call comes (LightWeightCache#put).
        """
        entry = self._answers.get(call)
        if entry is None:
            self._forget_expired(now_us)
            return ()
        return (entry[0],)

    def calls(self, now_us: int) -> list[tuple[CallOfClient, Any]]:
        """All calls that are remembered, with their answers, the oldest first."""
        self._forget_expired(now_us)
        return [(call, answer) for call, (answer, _) in self._answers.items()]

    def _forget_expired(self, now_us: int) -> None:
        """The oldest come first, since all are kept for one time."""
        while self._answers:
            call, (_, expires_us) = next(iter(self._answers.items()))
            if expires_us >= now_us:
                return
            del self._answers[call]

"""A lock made of a lease: whoever can append to the lock file has the lock.

The first application creates the file and keeps it open; its lease is the lock. If it ends well it closes the file, and
the lock is free at once. If it dies, its lease is renewed no more, and the lock is free when the soft limit has passed:
60 s, and the time of a block recovery if something was written. Nobody has to clean up.

    python examples/soft_limit_lock.py

It runs over the simulation, so the minute takes no time.
"""

from genstamp_dfs.errors import AlreadyBeingCreatedException, RecoveryInProgressException
from genstamp_dfs.hdfs.client import DFSClient, DFSOutputStream
from genstamp_dfs.simulation.scenario import Scenario

LOCK = "/LOCK"
TRY_EVERY_S = 5


def try_lock(scenario: Scenario, application: DFSClient) -> DFSOutputStream | None:
    """Take the lock if it is free; the open stream is the lock, closing it gives the lock back."""
    try:
        return scenario.run(application, application.append(LOCK))
    except (AlreadyBeingCreatedException, RecoveryInProgressException):
        return None


def wait_for_lock(scenario: Scenario, application: DFSClient) -> DFSOutputStream:
    """Try until the lock is free."""
    while (lock := try_lock(scenario, application)) is None:
        scenario.advance(TRY_EVERY_S)
    return lock


def story(seed: int = 0) -> list[str]:
    """What happens, line by line."""
    scenario = Scenario(seed=seed)
    first, second = scenario.client("app1"), scenario.client("app2")
    began_s = scenario.now_s
    lines: list[str] = []

    def tell(text: str) -> None:
        lines.append(f"{scenario.now_s - began_s:5.0f} s  {text}")

    lock = scenario.run(first, first.create(LOCK))
    tell("app1 creates the lock file and has the lock")
    assert try_lock(scenario, second) is None
    tell("app2 is refused: the file is being written")
    scenario.advance(300)
    assert try_lock(scenario, second) is None
    tell("app2 is refused still: app1 lives, and renews its lease")
    scenario.run(first, lock.close())
    tell("app1 ends well and closes the file")
    lock = wait_for_lock(scenario, second)
    tell("app2 has the lock at once")

    scenario.crash("app2")
    died_s = scenario.now_s
    tell("app2 dies with the lock")
    third = scenario.client("app3")
    assert try_lock(scenario, third) is None
    tell("app3 is refused: the soft limit has not passed")
    wait_for_lock(scenario, third)
    tell(f"app3 has the lock, {scenario.now_s - died_s:.0f} s after app2 died")
    return lines


if __name__ == "__main__":
    print("\n".join(story()))

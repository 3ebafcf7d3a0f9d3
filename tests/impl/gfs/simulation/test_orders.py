"""The order of mutations, as the events of a run tell it: rising serial numbers, and each call carried out once."""

import pytest

from genstamp_dfs.events import Event
from genstamp_dfs.gfs.simulation.orders import wrong_orders
from genstamp_dfs.gfs.simulation.plan import PlanOptions
from genstamp_dfs.gfs.simulation.run import run_seed


def step(node: str, event: str, serial: int = 0, offset: int = 0, data: str = "", version: int = 2) -> Event:
    arguments = {"serial": str(serial), "offset": str(offset), "data": data}
    return Event("test", node, 1, 0, "chunk", "gfs", "7", event, generation_stamp=version, arguments=arguments)


ASKED = [step("client1", "push_data", data="aa"), step("client2", "push_data", data="bb")]
ORDERED = [step("c1", "order_mutation", 1, 0, "aa"), step("c1", "order_append", 2, 64, "bb")]


def test_what_is_applied_as_it_was_ordered_is_right() -> None:
    applied = [step("c2", "apply_mutation", 1, 0), step("c2", "apply_mutation", 2, 64)]
    assert wrong_orders([*ASKED, *ORDERED, *applied]) == []


def test_serial_numbers_may_begin_again_under_another_version_and_leave_out_what_failed() -> None:
    again = [step("client1", "retry", data="aa"), step("c1", "order_mutation", 1, 0, "aa", version=3)]
    applied = [step("c2", "apply_mutation", 2, 64), step("c2", "apply_mutation", 1, 0, version=3)]
    assert wrong_orders([*ASKED, *ORDERED, *again, *applied]) == []


def test_a_serial_number_that_falls_is_wrong() -> None:
    applied = [step("c2", "apply_mutation", 2, 64), step("c2", "apply_mutation", 1, 0)]
    assert wrong_orders([*ASKED, *ORDERED, *applied]) == ["c2 applies mutation 1 of chunk 7 under version 2 after 2"]


def test_another_place_than_the_primary_has_ordered_is_wrong() -> None:
    [problem] = wrong_orders([*ASKED, *ORDERED, step("c2", "apply_mutation", 1, 32)])
    assert problem == "c2 applies mutation 1 of chunk 7 under version 2 at 32, which was ordered at 0"


def test_data_that_is_ordered_more_often_than_asked_for_is_wrong() -> None:
    again = step("c1", "order_mutation", 3, 0, "aa")
    [problem] = wrong_orders([*ASKED, *ORDERED, again])
    assert problem.startswith("c1 orders the data aa of chunk 7 for the 2. time, its client has asked 1 times")
    assert wrong_orders([*ASKED, step("client1", "retry", data="aa"), *ORDERED, again]) == []


@pytest.mark.slow
def test_there_are_mutations_to_judge_in_a_run() -> None:
    events = run_seed(1, PlanOptions(mean_fault_s=0)).events
    applied = [event for event in events if event.event == "apply_mutation"]
    assert len(applied) > 50
    assert wrong_orders(events) == []
    assert wrong_orders([event for event in events if event.event != "push_data"]) != []

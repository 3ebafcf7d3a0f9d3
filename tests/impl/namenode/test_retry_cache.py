"""Calls that may happen only once are answered again and not executed again (facts E.0; TestRetryCacheWithHA)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    AlreadyBeingCreatedException,
    FileNotFoundException,
    HadoopIllegalArgumentException,
    HdfsIOException,
)
from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.protocol import Block, Semantics

CLIENT_ID = b"0123456789abcdef"


def prepared(bench: Any) -> dict[str, Any]:
    """A request of each kind that can succeed once, on files that are there."""
    for path in ("/append", "/delete", "/rename", "/rename2", "/concat", "/source"):
        bench.write_closed(path)
    bench.create("/pipeline")
    block = bench.add_block("/pipeline").block
    new_block = Block(block.block_id, block.generation_stamp + 1, 0)
    return {
        "create": client.Create("/create", "client1", client.CreateFlag.CREATE, block_size=10),
        "append": client.Append("/append", "client1"),
        "update_pipeline": client.UpdatePipeline("client1", block, new_block, ("a",)),
        "delete": client.Delete("/delete"),
        "rename": client.Rename("/rename", "/renamed"),
        "rename2": client.Rename2("/rename2", "/renamed2"),
        "concat": client.Concat("/concat", ("/source",)),
    }


KINDS = ["create", "append", "update_pipeline", "delete", "rename", "rename2", "concat"]


@pytest.mark.parametrize("restarts", ["no", "from edits", "from an image"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_repeated_call_has_the_answer_of_the_first(bench: Any, kind: str, restarts: str) -> None:
    """Also after a restart, since the edit names its call; the locations of an append are not known then."""
    request = prepared(bench)[kind]
    first = bench.ask(request, "client1", CLIENT_ID, 7)
    if restarts == "from an image":
        bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache)
    if restarts != "no":
        bench.start()
    before = bench.durable()
    again = bench.ask(request, "client1", CLIENT_ID, 7)
    if kind == "append" and restarts == "from edits":
        assert (again.block.block, again.status) == (first.block.block, first.status)
    else:
        assert again == first
    assert bench.durable() == before
    assert bench.events.events[-1].event == "retry_cache_answers"


@pytest.mark.parametrize("kind", KINDS)
def test_another_call_is_executed(bench: Any, kind: str) -> None:
    request = prepared(bench)[kind]
    bench.ask(request, "client1", CLIENT_ID, 7)
    try:
        bench.ask(request, "client1", CLIENT_ID, 8)
    except HdfsIOException as refusal:
        assert bench.events.events[-1].refused_with == refusal.hadoop_name
    assert bench.events.events[-1].event == kind


def test_a_refused_call_is_executed_again(bench: Any) -> None:
    request = client.Append("/f", "client1")
    with pytest.raises(FileNotFoundException):
        bench.ask(request, "client1", CLIENT_ID, 7)
    bench.write_closed()
    assert bench.ask(request, "client1", CLIENT_ID, 7).block is not None


@pytest.mark.parametrize("other", ["create", "append", "rename2"])
def test_a_number_that_another_kind_of_call_had_is_refused(bench: Any, other: str) -> None:
    """Its answer would be no answer to this one."""
    requests = prepared(bench)
    bench.ask(requests["delete"], "client1", CLIENT_ID, 7)
    before = bench.durable()
    with pytest.raises(HadoopIllegalArgumentException, match=r"call 7 of client .* was answered with bool before"):
        bench.ask(requests[other], "client1", CLIENT_ID, 7)
    assert bench.durable() == before


def test_a_delete_of_nothing_is_carried_out_again(bench: Any) -> None:
    assert not bench.ask(client.Delete("/f"), "client1", CLIENT_ID, 7)
    bench.create("/f")
    assert bench.ask(client.Delete("/f"), "client1", CLIENT_ID, 7)


def test_an_answer_is_remembered_for_ten_minutes_and_until_another_call_comes(bench: Any) -> None:
    request = client.Create("/f", "client1", client.CreateFlag.CREATE, block_size=10)
    bench.ask(request, "client1", CLIENT_ID, 7)
    bench.pass_ms(600_000)
    bench.ask(request, "client1", CLIENT_ID, 7)
    bench.clock.us += 1
    bench.ask(request, "client1", CLIENT_ID, 7)
    bench.ask(client.Delete("/nothing"), "client1", CLIENT_ID, 8)
    with pytest.raises(AlreadyBeingCreatedException):
        bench.ask(request, "client1", CLIENT_ID, 7)


def test_a_caller_without_id_is_not_remembered(bench: Any) -> None:
    bench.create()
    with bench.refused(AlreadyBeingCreatedException):
        bench.create()


def test_a_repeated_call_is_answered_in_safe_mode_too(bench: Any) -> None:
    """Facts E.0: the cache is looked at first."""
    request = client.Delete("/f")
    bench.write_closed()
    assert bench.ask(request, "client1", CLIENT_ID, 7)
    bench.ask(client.SetSafeMode(client.SafeModeAction.ENTER))
    assert bench.ask(request, "client1", CLIENT_ID, 7)


def test_an_image_of_hadoop_forgets_answers(new_bench: Any) -> None:
    bench = new_bench(semantics=Semantics.HADOOP_3_4)
    bench.write_closed()
    bench.ask(client.Delete("/f"), "client1", CLIENT_ID, 7)
    bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache)
    bench.start()
    assert not bench.ask(client.Delete("/f"), "client1", CLIENT_ID, 7)

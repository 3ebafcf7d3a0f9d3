"""A writer of a stream that goes on while datanodes fail: what Flume's HDFS sink does.

Events come one by one and are flushed in batches. Datanodes of the pipeline die, one after the other, one of them in
the middle of a batch. Each time the pipeline is set up again under a new generation stamp, with a new node that gets a
copy of what was flushed; the writer notices nothing but a pause. At the end every event is there, once, in order.

    python examples/stream_writer.py
"""

from genstamp_dfs.hdfs.client import DFSOutputStream
from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.scenario import Scenario

PATH = "/flume/events"
BATCH = 10

MID_BATCH = PipelineFault(FaultPoint.PACKET, 1, FaultAction.CRASH, attempt=2, nth=2)
"""The second node of the second pipeline dies over its second packet."""


async def write_batch(stream: DFSOutputStream, first: int) -> None:
    """Write some events and flush them."""
    for number in range(first, first + BATCH):
        await stream.write(f"event {number}\n".encode())
    await stream.hflush()


def story(seed: int = 0) -> list[str]:
    """What happens, line by line."""
    scenario = Scenario(6, seed=seed, faults=[MID_BATCH])
    sink = scenario.client("flume")
    stream = scenario.run(sink, sink.create(PATH))
    lines: list[str] = []
    for batch in range(5):
        before = stream.streamer.pipeline.nodes
        if batch in (1, 4):
            scenario.crash(before[0])
            lines.append(f"{before[0]} dies")
        scenario.run(sink, write_batch(stream, batch * BATCH))
        now = stream.streamer.pipeline.nodes
        lines.append(f"batch {batch + 1} is flushed to {', '.join(now)}")
        lost = [node for node in before if node not in now]
        if lost:
            stamp = scenario.last_block(PATH).generation_stamp
            lines.append(f"  the pipeline went on without {', '.join(lost)}, under stamp {stamp}")
    scenario.run(sink, stream.close())
    events = scenario.read(PATH).decode().splitlines()
    whole = events == [f"event {number}" for number in range(5 * BATCH)]
    up = sum(scenario.cluster.is_up(node) for node in scenario.datanodes)
    lines.append(
        f"{len(events)} events are read, {'all of them, in order' if whole else 'not those that were written'}"
    )
    lines.append(f"{up} of {len(scenario.datanodes)} datanodes live")
    return lines


if __name__ == "__main__":
    print("\n".join(story()))

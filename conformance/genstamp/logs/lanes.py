"""The story of one key as swim lanes: one lane a node; arrows where it is known who was first.

Not here: drawing (`genstamp_model.traces`).
"""

from collections.abc import Iterator
from pathlib import Path

from genstamp.logs.shown import shown
from genstamp.logs.story import Step, Story, sentence
from genstamp_model.traces import Chart, Message, Row


def chart(story: Story) -> Chart:
    """The story laid out in lanes; a rejected event is drawn as a refusal."""
    rows = tuple(_row(story, step) for step in story.steps)
    return Chart(shown(f"{story.key}: {story.safety}, {story.completion}"), story.nodes, rows, tuple(_messages(story)))


def _row(story: Story, step: Step) -> Row:
    beside = (" or ".join(step.states),) if step.states else ()
    refused = shown(story.failed) if step.part == "rejected" else None
    place = f"{Path(step.file).name}:{step.line}"
    return Row(step.number, step.node, None, sentence(step), refused, (*beside, place))


def _messages(story: Story) -> Iterator[Message]:
    """What a node did under a recovery id comes after the NameNode gave the id out; causes that a source tells of."""
    for step in story.steps:
        for sent in step.follows:
            recovery_id = step.values.get("recovery_id")
            yield Message(sent, step.number, "" if recovery_id is None else f"recovery id {recovery_id}")

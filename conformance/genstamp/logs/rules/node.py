"""What observed events say about a node: of the NameNode, that generation stamps rise.

Leaves out everything else: a node has no lifecycle in the specification.
"""

from genstamp.logs.rules.shape import Check, Register, Rule, RuleBook, Way

_ASIDE = ("datanode_crash", "datanode_restart", "datanode_restart_losing_bytes", "client_crash", "allocate_block_id")

NODE = RuleBook(
    "node",
    {},
    (
        Rule(
            "set_generation_stamp",
            (Way((), (Check("generation_stamp", "above", Register.STAMP),)),),
            "H  FSNamesystem#nextGenerationStamp: strictly rising over the life of the namespace",
            sets={Register.STAMP: "generation_stamp"},
        ),
        *(Rule(event, (Way(),), "no step that a node's life would forbid") for event in _ASIDE),
    ),
)

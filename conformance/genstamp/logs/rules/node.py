"""What observed events say about a node: of the NameNode, that generation stamps rise.

What is said *about* nodes, and calls that concern no file, are declared here as no step of any lifecycle; that the
NameNode starts again is one of each block and lease that it has (`block.py`, `lease.py`).

Leaves out everything else: a node has no lifecycle in the specification.
"""

from genstamp.logs.rules.shape import Check, Register, Rule, RuleBook, Way

_ASIDE = (
    "datanode_crash",
    "datanode_restart",
    "datanode_restart_losing_bytes",
    "client_crash",
    "allocate_block_id",
    "namenode_restart",
    "version_request",
    "register_datanode",
    "send_heartbeat",
    "block_report",
    "block_received_and_deleted",
    "report_bad_blocks",
    "report_bad_replicas",
    "get_server_defaults",
    "get_fs_stats",
    "get_datanode_report",
    "set_safe_mode",
)

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
        *(
            Rule(event, (Way(),), "no step that a node's life would forbid", refused=refused)
            for event in _ASIDE
            for refused in (None, "*")
        ),
    ),
)

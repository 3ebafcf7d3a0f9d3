"""What observed events say about a node: of the NameNode, that generation stamps and block ids rise.

The register of stamps holds the highest one ever granted; the counter, which a start may lower, is the reader's
(`genstamp.logs.readers.granted_stamps`). The register of lengths, which a node has none of, holds the last block id.

What is said *about* nodes, and calls that concern no file, are declared here as no step of any lifecycle; that the
NameNode starts again is one of each block and lease that it has (`block.py`, `lease.py`).

Leaves out everything else: a node has no lifecycle in the specification.
"""

from genstamp.logs.rules.shape import Check, Drift, Effect, Move, Register, Rule, RuleBook, Way, states

_ASIDE = (
    "datanode_crash",
    "datanode_restart",
    "datanode_restart_losing_bytes",
    "client_crash",
    "exclude_datanode",
    "namenode_restart",
    "version_request",
    "register_datanode",
    "send_heartbeat",
    "block_report",
    "block_received_and_deleted",
    "report_bad_blocks",
    "report_bad_replicas",
    "error_report",
    "get_server_defaults",
    "get_fs_stats",
    "get_datanode_report",
    "set_safe_mode",
)

_NOT_ABOVE_COUNTER = Check("generation_stamp", "at_most", Register.STAMP)

_NOT_GRANTED_BEFORE = Check(
    "generation_stamp",
    "above",
    Register.STAMP,
    "the stamp was granted before the NameNode started: known hole stamp-granted-twice",
    "with a stamp that was never granted",
)

_ID = Register.LENGTH
_ID_IS_NEW = Check(
    "num_bytes", "above", _ID, "the block id is not above the last that was allocated", "with a block id above it"
)
_ID_WAS_ALLOCATED = Check(
    "num_bytes",
    "at_most",
    _ID,
    "the block id is above the last that was allocated",
    "with a block id that was allocated",
)

_STORED = (
    Rule(
        "stored_in_image",
        (Way(),),
        "H  NameSystemSection: where what is known of the namespace begins",
        when={"history": "begins"},
        sets={Register.STAMP: "generation_stamp"},
    ),
    Rule(
        "stored_in_image",
        (Way((), (_NOT_ABOVE_COUNTER,)),),
        "H  NameSystemSection; a standby's counter may be behind its edits",
    ),
    *(
        Rule(event, (Way((), (_NOT_ABOVE_COUNTER,)),), source)
        for event, source in {
            "stamps_in_edits": "H.4  FSNamesystem#nextGenerationStamp: granted, and written, before a block has it",
            "stamps_in_image": "H  BlockIdManager: no block has a stamp that was not given out",
            "stamps_on_disk": "H  BlockIdManager: no replica has a stamp that was not given out",
        }.items()
    ),
)

NODE = RuleBook(
    "node",
    {},
    (
        Rule(
            "set_generation_stamp",
            (Way(),),
            "H.4  hole stamp-granted-twice: what no block has yet is granted again by a NameNode that has started",
            when={"granted_before": "*", "semantics": "hadoop-3.4"},
        ),
        Rule(
            "set_generation_stamp",
            (Way((), (_NOT_GRANTED_BEFORE,)),),
            "H.4  hole stamp-granted-twice",
            when={"granted_before": "*"},
        ),
        Rule(
            "set_generation_stamp",
            (Way((), (Check("generation_stamp", "above", Register.STAMP),)),),
            "H  FSNamesystem#nextGenerationStamp: strictly rising over the life of the namespace",
            sets={Register.STAMP: "generation_stamp"},
        ),
        Rule(
            "allocate_block_id",
            (Way((), (_ID_IS_NEW,)),),
            "H  SequentialBlockIdGenerator#nextValue: no id is given out twice",
            sets={_ID: "num_bytes"},
        ),
        Rule(
            "blocks_in_edits",
            (Way((), (_ID_WAS_ALLOCATED,)),),
            "H  BlockIdManager#nextBlockId: allocated, and written, before a block has it",
        ),
        *_STORED,
        # A trace of a model, which was followed through its system (`readers.itf`).
        Rule("replay_trace", (Way(),), "each step is one that the system allows, and no property breaks"),
        Rule("replay_trace", (), "no step of the system leads to what the trace shows", refused="NoSuchStep"),
        Rule("replay_trace", (), "the path breaks a property of the system", refused="PropertyBroken"),
        *(
            Rule(event, (Way(),), "no step that a node's life would forbid", refused=refused)
            for event in _ASIDE
            for refused in (None, "*")
        ),
    ),
    (
        Drift("set_generation_stamp", states("running"), Effect(stamp=Move.HIGHER)),
        Drift("allocate_block_id", states("running"), Effect(length=Move.HIGHER)),
    ),
)

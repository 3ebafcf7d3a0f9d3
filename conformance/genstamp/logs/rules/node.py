"""Rules for a node: at the NameNode, generation stamps and block ids rise.

The register STAMP holds the highest stamp ever granted, LENGTH the last block id. The NameNode's counter of stamps,
which a start may lower, belongs to the reader (`genstamp.logs.readers.edit_grants`).

A node has no lifecycle in the specification, so all other events about nodes, and calls that concern no file, change
nothing here. A start of the NameNode is a step of each of its blocks and leases (`block.py`, `lease.py`).

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from typing import Final

from genstamp.logs.rules.shape import (
    OR_REFUSED,
    Check,
    Drift,
    Effect,
    Move,
    Register,
    Rule,
    RuleBook,
    Value,
    Way,
    each,
    states,
)
from genstamp.logs.rules.soft_limit import CALLS

_ASIDE = (
    "datanode_crash datanode_restart datanode_restart_losing_bytes client_crash exclude_datanode namenode_restart"
    " version_request register_datanode send_heartbeat block_report block_received_and_deleted report_bad_blocks"
    " report_bad_replicas error_report get_server_defaults get_fs_stats get_datanode_report list_open_files"
    " set_safe_mode"
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
_STORED = (
    Rule(
        "stored_in_image",
        (Way(),),
        "H  NameSystemSection: where the history of the namespace begins",
        when={"history": "begins"},
        sets={Register.STAMP: "generation_stamp"},
    ),
    Rule(
        "stored_in_image",
        (Way((), (_NOT_ABOVE_COUNTER,)),),
        "H  NameSystemSection; a standby's counter may be behind its edits",
    ),
    Rule("stamp_above_counter", (), "H  BlockIdManager: a block of an image has no stamp above the image's counter"),
    *(
        Rule(event, (Way((), (_NOT_ABOVE_COUNTER,)),), source)
        for event, source in {
            "stamps_in_edits": "H.4  FSNamesystem#nextGenerationStamp: a grant is logged before a block has the stamp",
            "stamps_in_image": "H  BlockIdManager: every stamp of a block was granted",
            "stamps_on_disk": "H  BlockIdManager: every stamp of a replica was granted",
        }.items()
    ),
    Rule(
        "stamps_in_log",
        (Way(),),
        "H  FSNamesystem#nextGenerationStamp: granted before, as the same log shows",
        sets={Register.STAMP: "generation_stamp"},
    ),
    Rule(
        "update_pipeline",
        (Way((), (Check("generation_stamp", "above", Register.STAMP),)),),
        "E.7, H  FSNamesystem#updatePipeline: no two blocks have one stamp; the reader has compared it",
        role="shows_stamp",
    ),
)

# Calls for which a NameNode grants a stamp. The reader leaves out retries, which get the first answer again.
_GRANTED: Final[tuple[tuple[Value, str, tuple[str | None, ...]], ...]] = (
    ("generation_stamp", "add_block update_block_for_pipeline", (None,)),
    ("recovery_id", f"{CALLS} start_recovery recover_lease release_expired_lease", OR_REFUSED),
)
_GRANTS = tuple(
    rule
    for value, events, refusals in _GRANTED
    for rule in each(
        events,
        (Way((), (Check(value, "above", Register.STAMP),)),),
        "H  FSNamesystem#nextGenerationStamp: a new block, pipeline or recovery has a stamp of its own",
        refusals,
        role="grants",
        when={"recovery_id": "*"} if value == "recovery_id" else {},
        sets={Register.STAMP: value},
    )
)

NODE = RuleBook(
    "node",
    {},
    (
        Rule(
            "set_generation_stamp",
            (Way(),),
            "H.4  hole stamp-granted-twice: after a start the NameNode grants again every stamp that no block has",
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
        *_STORED,
        *_GRANTS,
        Rule(
            "namenode_restart",
            (Way(),),
            "H.4  FSImage#loadFSImage: the counter is taken from the image and the edits, and may be lower",
            role="grants",
            sets={Register.STAMP: ""},
        ),
        # A trace of a model is replayed on its own system (`readers.itf`).
        Rule("replay_trace", (Way(),), "each step is one that the system allows, and no property breaks"),
        Rule("replay_trace", (), "no step of the system leads to what the trace shows", refused="NoSuchStep"),
        Rule("replay_trace", (), "the path breaks a property of the system", refused="PropertyBroken"),
        *each(_ASIDE, (Way(),), "no step that a node's life would forbid", OR_REFUSED),
    ),
    (
        Drift("set_generation_stamp", states("running"), Effect(stamp=Move.HIGHER)),
        Drift("allocate_block_id", states("running"), Effect(length=Move.HIGHER)),
    ),
)

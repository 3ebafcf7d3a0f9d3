"""Rules for a replica on one datanode.

A line that is written before the checks of a call (`Receiving ...`) shows only that the call arrived.

Not here: disk errors, moves between the volumes of a datanode, and eviction from memory.

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.shape import (
    OR_REFUSED,
    UNCHANGED,
    Check,
    Drift,
    Effect,
    Move,
    Register,
    Rule,
    RuleBook,
    Sets,
    Way,
    each,
    states,
)
from genstamp.logs.rules.unplaced import REPLICA_ORDERS

STAMP, RECOVERY_ID, LENGTH = Register
_ANYTHING = Effect(Move.ANY, Move.ANY, Move.ANY)
_RESTART = Effect(recovery_id=Move.ANY, length=Move.NOT_HIGHER)  # B.8: the file is cut, a recovery forgotten

_EFFECTS = {
    "create_rbw": _ANYTHING,
    "create_rbw_over_existing": _ANYTHING,
    "append": Effect(stamp=Move.NOT_LOWER),  # B2: an equal stamp is allowed
    "finalize": Effect(),
    "recover_append": Effect(stamp=Move.NOT_LOWER),
    "recover_rbw": Effect(stamp=Move.NOT_LOWER, length=Move.NOT_HIGHER),
    "recover_close": Effect(stamp=Move.NOT_LOWER),
    "transfer_for_pipeline_recovery": Effect(),
    "create_temporary": _ANYTHING,
    "create_temporary_over_existing": Effect(Move.HIGHER, Move.ANY, Move.ANY),  # B.5, HDFS-6948
    "convert_temporary_to_rbw": Effect(),
    "unfinalize": _ANYTHING,
    "init_recovery": Effect(recovery_id=Move.HIGHER),
    "update_under_recovery": Effect(stamp=Move.HIGHER, length=Move.NOT_HIGHER),
    "copy_on_truncate": _ANYTHING,
    "invalidate": _ANYTHING,
    "restart_as_rwr": _RESTART,
    "restart_as_rbw": _RESTART,
    "restart_over_finalized": _RESTART,
    "restart_over_unfinalized": _RESTART,
    "restart_temporary": _ANYTHING,
}

_BYTES_ARRIVE = Drift("receive_packet", states("rbw", "temporary"), Effect(length=Move.NOT_LOWER))

_STAMP_MATCHES = Check("generation_stamp", "is", STAMP)
_STAMP_NOT_LOWER = Check("generation_stamp", "at_least", STAMP)
_NOT_OLDER_THAN_BLOCK = Check("generation_stamp", "at_most", STAMP)
_LENGTH_NOT_LOWER = Check("num_bytes", "at_least", LENGTH)
_LENGTH_MATCHES = Check("num_bytes", "is", LENGTH)
_ID_ABOVE_STAMP = Check("recovery_id", "above", STAMP)
_ID_ABOVE_FORMER = Check("recovery_id", "above", RECOVERY_ID)
_ID_IS_CURRENT = Check("recovery_id", "is", RECOVERY_ID)
_NOT_LENGTHENED = Check("num_bytes", "at_most", LENGTH)

_THERE = states("finalized", "rbw", "rwr", "rur", "temporary")
_NOT_THERE = states("absent")
_AS_GIVEN: Sets = {STAMP: "generation_stamp", LENGTH: "num_bytes"}
_FORGET: Sets = {STAMP: "", RECOVERY_ID: "", LENGTH: ""}
_BEGINNINGS = ("create_", "append", "recover_")
"""How the steps begin that begin with a call of writeBlock."""
_NO_STEP = "no step of the replica, or a refused call"
_STATES = {
    "FINALIZED": "finalized",
    "RBW": "rbw",
    "RWR": "rwr",
    "RUR": "rur",
    "TEMPORARY": "temporary",
    "none": "absent",
}

_WRITING = (
    Rule("create_rbw", (Way((), (), _THERE),), "B1  FsDatasetImpl#createRbw", refused="ReplicaAlreadyExistsException"),
    Rule("create_rbw", (Way(("create_rbw",)),), "B1  FsDatasetImpl#createRbw", sets=_AS_GIVEN),
    Rule(
        "receive_packet",
        (Way((), (_STAMP_MATCHES, _LENGTH_NOT_LOWER), states("rbw", "temporary")),),
        "B.1, C.2  BlockReceiver#receivePacket",
        sets=_AS_GIVEN,
    ),
    # "Received ... of size ..." is logged at the end of a copy, or of a pipeline in recovery.
    Rule(
        "finalize_replica",
        (
            Way(("finalize",), (_STAMP_MATCHES, _LENGTH_NOT_LOWER)),
            Way(("recover_close",), (Check("generation_stamp", "at_least", STAMP),)),
        ),
        "B5, B8  DataXceiver#writeBlock",
        when={"outcome": "unknown"},
        sets=_AS_GIVEN,
    ),
    Rule(
        "finalize_replica",
        (Way(("finalize",), (_STAMP_MATCHES, _LENGTH_NOT_LOWER)),),
        "B8  FsDatasetImpl#finalizeBlock",
        sets=_AS_GIVEN,
    ),
    Rule("append_finalized", (Way(("append",), (_STAMP_NOT_LOWER,)),), "B2  FsDatasetImpl#append", sets=_AS_GIVEN),
    *(
        Rule(event, (Way((event,), (_STAMP_NOT_LOWER,)),), f"{row}  FsDatasetImpl#{method}", sets=_AS_GIVEN)
        for event, row, method in (
            ("recover_append", "B3", "recoverAppend"),
            ("recover_rbw", "B4", "recoverRbw"),
            ("recover_close", "B5", "recoverClose"),
        )
    ),
    Rule(
        "create_temporary",
        (Way(("create_temporary",)), Way(("create_temporary_over_existing",))),
        "B6  FsDatasetImpl#createTemporary",
        sets=_AS_GIVEN,
    ),
    Rule(
        "convert_temporary_to_rbw",
        (Way(("convert_temporary_to_rbw",), (_STAMP_MATCHES,)),),
        "B7  FsDatasetImpl#convertTemporaryToRbw",
        sets=_AS_GIVEN,
    ),
    Rule("unfinalize_block", (Way(("unfinalize",)),), "B16  FsDatasetImpl#unfinalizeBlock", sets=_FORGET),
    Rule(
        "transfer_replica",
        (Way(("transfer_for_pipeline_recovery",), (_STAMP_MATCHES,)),),
        "B18  DataNode#transferReplicaForPipelineRecovery",
    ),
    # The replica may be FINALIZED here before other datanodes acknowledge the last packet.
    Rule(
        "receive_ack", (Way((), (_STAMP_MATCHES,), states("rbw", "finalized")),), "C.3  BlockReceiver.PacketResponder"
    ),
    # `Receiving ...` is logged before all checks, and does not show the stage of the pipeline.
    Rule(
        "write_block",
        (
            Way(),
            *(Way((event,)) for event in _EFFECTS if event.startswith(_BEGINNINGS)),
        ),
        "C.1  DataXceiver#writeBlock",
        sets={RECOVERY_ID: "", LENGTH: ""},
        loosens=frozenset({STAMP}),
    ),
    # Since 3.4 the line is logged before the replica leaves the map, which fails if a recovery ends in between.
    Rule(
        "invalidate_replica",
        (Way(("invalidate",), (_STAMP_MATCHES,)), Way((), (_STAMP_MATCHES,), states("rur"))),
        "B17  FsDatasetImpl#invalidate, #removeReplicaFromMem",
        sets=_FORGET,
    ),
)

_RECOVERY = (
    Rule(
        "init_replica_recovery",
        (Way((), (Check("recovery_id", "at_most", RECOVERY_ID),), states("rur")),),
        "B.4 row 5  FsDatasetImpl#initReplicaRecoveryImpl",
        refused="RecoveryInProgressException",
    ),
    Rule(
        "init_replica_recovery",
        (Way((), (), _NOT_THERE),),
        "B.4 row 1  FsDatasetImpl#initReplicaRecoveryImpl",
        when={"replica_state": "none"},
    ),
    *(
        Rule(
            "init_replica_recovery",
            (
                Way(
                    ("init_recovery",),
                    (_NOT_OLDER_THAN_BLOCK, _ID_ABOVE_STAMP, _ID_ABOVE_FORMER, _LENGTH_MATCHES),
                    before,
                ),
            ),
            "B9, B.4  FsDatasetImpl#initReplicaRecoveryImpl",
            when=when,
            sets={RECOVERY_ID: "recovery_id", LENGTH: "num_bytes"},
        )
        # A replica under recovery answers with the state of its original.
        for when, before in (
            *(({"replica_state": name}, states(_STATES[name], "rur")) for name in ("FINALIZED", "RBW", "RWR")),
            ({"replica_state": "RUR"}, states("rur")),
            ({}, None),
        )
    ),
    Rule(
        "init_replica_recovery_under_old_id",
        (),
        "B.4  FsDatasetImpl#initReplicaRecoveryImpl: the id is above the stamp of the replica and the id before",
    ),
    # The line is logged before the checks and shows the current replica.
    *(
        Rule(
            "init_replica_recovery_called",
            (Way((), (_STAMP_MATCHES,), states(state)),),
            "B.4  FsDatasetImpl#initReplicaRecoveryImpl",
            when={"replica_state": name},
            sets={STAMP: "generation_stamp"},
        )
        for name, state in _STATES.items()
    ),
    Rule(
        "update_replica_under_recovery",
        (Way((), (), _NOT_THERE),),
        "B.4 row 1  FsDatasetImpl#updateReplicaUnderRecovery",
        refused="ReplicaNotFoundException",
    ),
    # B.4 row 6 raises the stamp before row 7 refuses the length.
    Rule(
        "update_replica_under_recovery",
        UNCHANGED,
        "B.4  FsDatasetImpl#updateReplicaUnderRecovery",
        refused="*",
        loosens=frozenset({STAMP}),
    ),
    # This line, too, is logged before the checks and shows the current replica.
    *(
        Rule(
            "update_replica_under_recovery",
            (Way((), (), states(state)),),
            "B.4 rows 1, 2  FsDatasetImpl#updateReplicaUnderRecovery",
            when={"outcome": "unknown", "replica_state_before": name},
        )
        for name, state in _STATES.items()
        if name != "RUR"
    ),
    # The line is logged before the checks, and their result is not logged.
    Rule(
        "update_replica_under_recovery",
        (Way(("update_under_recovery",), (_ID_IS_CURRENT, _NOT_LENGTHENED)), Way((), (), states("rur"))),
        "B.4  FsDatasetImpl#updateReplicaUnderRecovery",
        when={"outcome": "unknown"},
        loosens=frozenset({STAMP, LENGTH}),
    ),
    Rule(
        "update_replica_under_recovery",
        (Way(("update_under_recovery",), (_ID_IS_CURRENT, _NOT_LENGTHENED)),),
        "B10, B.4  FsDatasetImpl#updateReplicaUnderRecovery",
        sets={STAMP: "recovery_id", LENGTH: "num_bytes"},
    ),
)

_FOUND = tuple(
    Rule(
        "restart",
        tuple(Way(fires, (_STAMP_MATCHES,), after=states(_STATES[name])) for fires in ((), *ways)),
        "B11 to B14, B.8  BlockPoolSlice#addReplicaToReplicasMap: a replica that was found",
        when={"replica_state": name},
        sets={**_AS_GIVEN, RECOVERY_ID: ""},
    )
    for name, ways in {
        "FINALIZED": (("restart_over_finalized",),),
        "RBW": (("restart_as_rbw",),),
        "RWR": (("restart_as_rwr",), ("restart_over_unfinalized",)),
    }.items()
)

_ON_DISK = tuple(
    Rule(
        "found_on_disk",
        (Way((), checks, states(*those)),),
        "B.1, B.8  BlockPoolSlice: the directory of a replica shows its state, its meta file its stamp",
        when={"replica_state": name},
        sets=_AS_GIVEN,
    )
    for name, those, checks in (
        # A replica under recovery is in the directory of its original, and is the original again after a restart.
        ("FINALIZED", ("finalized",), (_STAMP_MATCHES, _LENGTH_MATCHES)),
        ("RBW", ("rbw", "rwr"), (_STAMP_MATCHES,)),
        ("TEMPORARY", ("temporary",), (_STAMP_MATCHES,)),
    )
)

_RESTARTS = each(
    "datanode_restart datanode_restart_losing_bytes",
    (
        Way((), (), states("absent", "finalized", "rwr")),
        *(Way((restart,)) for restart in _EFFECTS if restart.startswith("restart_")),
    ),
    "B11 to B15  BlockPoolSlice#addReplicaToReplicasMap",
    sets={RECOVERY_ID: "", LENGTH: ""},
)

_ASIDE = (
    *each(
        "receive_recovery_command init_replica_recovery_failed update_replica_failed datanode_crash",
        UNCHANGED,
        _NO_STEP,
        OR_REFUSED,
    ),
    *each(
        "init_replica_recovery create_rbw invalidate_replica finalize_replica append_finalized recover_append"
        " recover_rbw recover_close create_temporary convert_temporary_to_rbw transfer_replica receive_packet"
        " receive_ack",
        UNCHANGED,
        _NO_STEP,
        ("*",),
    ),
)

_TOLD = (
    *each(
        f"{REPLICA_ORDERS} ask_to_replicate packet_responder_ends transfer_starts transfer_ends",
        UNCHANGED,
        "no step of the replica",
    ),
    Rule("write_block", UNCHANGED, "C.1  DataXceiver#writeBlock: bytes already written stay (B, notes)", refused="*"),
    Rule(
        "replace_block",
        (Way(("create_temporary", "finalize")), Way((), (), states("finalized"))),
        "B6, B8  DataXceiver#replaceBlock, for the balancer",
        sets={STAMP: "generation_stamp", LENGTH: ""},
    ),
    # Up to 0.20 the same line is also logged if the stamps differ.
    Rule("invalidate_absent_replica", UNCHANGED, "B17  FsDatasetImpl#invalidate: ignored"),
)

_HEARD = each(
    "block_received block_receiving block_deleted",
    UNCHANGED,
    "I.1: how the NameNode handles a report is no step of the replica",
    OR_REFUSED,
)

REPLICA = RuleBook(
    "replica",
    _EFFECTS,
    (*_WRITING, *_RECOVERY, *_FOUND, *_ON_DISK, *_RESTARTS, *_ASIDE, *_TOLD, *_HEARD),
    (_BYTES_ARRIVE,),
)

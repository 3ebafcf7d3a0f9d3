"""How the steps of hdfs.replica are brought about, on one datanode. The reference implementation has no adapter of
them; what may be declined is what the adapter of Apache HDFS does not drive."""

from typing import Final

from genstamp.stateful.driving import Driving

_PICKED: Final = "the adapter picks the lengths that a request names, among which the model may have others"

REPLICA: Final = Driving(
    members=lambda cluster: {"Datanode": cluster.datanodes[:1], "Generation": ("g1", "g2", "g3")},
    faults=frozenset({"datanode_restart"}),
    brought_about=frozenset(
        {
            "write_to_disk",
            "write_to_disk_fails",
            "condemn",
            "datanode_stops",
            "datanode_stops_for_upgrade",
            "restart_window_passes",
            "disk_fills",
            # This never comes about: the adapter declines it.
            "writer_has_ended_but_its_responder",
        }
    ),
    told_apart={
        "serve_create_rbw_again": "create_rbw_again",
        "serve_create_rbw_again_without_room": "create_rbw_again",
        "serve_transfer": "serve_transfer",
        "serve_transfer_without_room": "serve_transfer",
        "serve_update_by_copy": "serve_update_by_copy",
        "serve_update_by_copy_past_the_file": "serve_update_by_copy",
    },
    weights={"invalidate": 0.3, "datanode_restart": 2.0, "disk_fills": 0.3},
    may_decline={
        "update_replica_under_recovery": "the replica would be longer than its file",
        "create_rbw_again": "neither a writer nor a replica that goes on with deleted files is driven",
        "receive_packet": "two bytes are enough, and a refused request may have stopped the writer",
        "convert_temporary_to_rbw": "a copy joins when it is received",
        "serve_update_by_copy": _PICKED,
        "invalidate": "there is nothing to delete",
        "unfinalize_block": "the namesake of another generation is left alone",
    },
    forgotten=("answered", "crashes", "fills", "lingers", "failed_writes"),
)

"""How the steps of hdfs.pipeline are brought about."""

from typing import Final

from genstamp.stateful.driving import Driving

PIPELINE: Final = Driving(
    members=lambda cluster: {"Client": cluster.clients, "Datanode": cluster.datanodes},
    faults=frozenset(
        {
            "datanode_crash",
            "datanode_restart",
            "datanode_stops_to_restart",
            "datanode_comes_back",
            "restart_takes_too_long",
            "receiver_fails",
            "receiver_hangs",
            "client_crash",
        }
    ),
    weights={
        "client_crash": 0.05,
        "datanode_crash": 0.5,
        "datanode_stops_to_restart": 0.5,
        "read": 0.5,
        "reuse_stamp": 0.2,
    },
    brought_about=frozenset({"recovery_starts", "update_pipeline_is_sent_twice", "datanode_registers_again"}),
    chosen={"add_block": ("always",)},
    told_apart={"update_pipeline_comes_late": "late_update_pipeline"},
    # What the model allows and this client, or any, never does.
    may_decline={
        "send_last_packet": "a block without a byte is ended by who has opened the file to close it at once",
        "reuse_stamp": "a client need not be able to set a pipeline up under the stamp that the block has",
        "add_datanode": "whom a client has copy first is the first node; and whoever joins is the last of the chain",
        "transfer_fails": "whom a client has copy first is the first node",
        "error_ack_comes": "the news that a node restarts comes as it was sent, also once its time is over",
        "mirror_fails": "a node listens once the pipeline is set up, and to what was acknowledged before the end",
        "connection_fails": "what a node has acknowledged arrives before the end of its connection",
        "receiver_fails": "once the last packet is acknowledged, the receivers end by themselves",
        "receiver_hangs": "once the last packet is acknowledged, the receivers end by themselves",
    },
    forgotten=("hflushed", "steady", "failed"),
    walked=("fenced", "pair", "upgrade", "client", "append", "reused_stamps", "restart", "chain", "spare"),
)

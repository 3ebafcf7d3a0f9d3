"""Faults of HDFS that the museum does not show, and why: a fault is shown where it breaks a promise, or not at all."""

LEFT_OUT: tuple[tuple[str, str], ...] = (
    ("HDFS-14581, 14946, 15170, 15211, 17150, 17453, 17477", "erasure-coded blocks; every block here is contiguous"),
    ("HDFS-1072", "the caller gets another exception, by which no promise of the model breaks"),
    ("HDFS-3755", "overwriting is refused for no reason; no promise says that a call must succeed at once"),
    ("HDFS-8576", "an answer is false where it should be true; the next call tells"),
    ("HDFS-8870", "the lease of a file whose write failed is leaked; told with HDFS-10549, where close failed"),
    ("HDFS-2994", "a stale object within one call, which is one step here"),
    (
        "HDFS-4247, 6757, 8384",
        "leases by path whose keys dangle: told with HDFS-2827, 4232 and 4248; images are not modelled",
    ),
    ("HDFS-4181, 4186, 5790, 5944, 12278, 10987", "only slower, or done twice without effect"),
    (
        "HDFS-5681, 15789, 12754, 9294, 14575, 16235",
        "locks and threads inside one process, of which a step here shows nothing",
    ),
    ("HDFS-16408", "a configured interval of nothing or less"),
    ("HDFS-11945", "the NameNode's holders are one here, whose lease may expire at any time"),
    ("HDFS-2810, 7314, 9812", "several clients of one process that share a renewer"),
    (
        "HDFS-2637, 4721",
        "only delays: overlapping recoveries happen here at any time, and turns end with a live datanode",
    ),
    ("HDFS-5024", "the second call fails instead of doing nothing, and nobody's state tells"),
    ("HDFS-9236", "no datanode answers so"),
    ("HDFS-15875", "what its check refuses is refused by the checks after it; see the hole half-a-cut-is-enough"),
    (
        "HDFS-17861",
        "fixed in 3.5.0 for a removed block; the holes closing-fails-before-it-begins and closing-fails-half-way",
    ),
    ("HDFS-11890, 5747", "a crash at shutdown, or of one call, that promises nothing to anybody"),
    ("HDFS-6830, 11674, 8072, 9530", "the disks and storages of one datanode"),
    (
        "HDFS-679, 1907, 4660, 9220, 10178, 11056",
        "chunks and their checksums: a byte is one packet here, and is never corrupt",
    ),
    ("HDFS-9178", "slow nodes: a node answers or has failed"),
    ("HDFS-7885", "what a datanode asks of a reader's request is not known in full"),
    (
        "HDFS-2822, 4208, 4639, 11755, 16922, 17358",
        "counts for reports to people and for safe mode, or a stamp burned in vain",
    ),
    ("HDFS-5283, 5428, 5443, 5425", "snapshots but for the blocks that a truncate copies"),
    ("HDFS-5299", "an entry of the retry cache that is never removed"),
    ("HDFS-7943", "blocks longer than a block may be, which only concat makes"),
    ("HDFS-16598", "a call that fails for no reason, and is made again"),
    ("HDFS-16987, 17863", "open, and not checked against a change"),
    (
        "a replica under recovery that lets the same recovery id in again (no number)",
        "harmless: it is frozen, so the second answer is the first; without the check no new state of hdfs.replica is"
        " reached (tests/spec/test_replica_system.py). A datanode that restarts answers one id twice in any case, and"
        " an update then has to name the length that was answered last",
    ),
)
"""Numbers in Apache's issue tracker, or the change, and the reason."""

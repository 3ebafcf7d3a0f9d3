"""What each data set of the shared folder is, and why its keys are judged as they are: texts for docs/logs.md.

One entry a data set, in the order of the page. A reader that learns a new kind of source adds its data set here, and
explains what is found in it; `test_page.py` fails where a finding has no explanation or an explanation no finding.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Runs = Iterator[tuple[str, tuple[Path, ...]]]
"""Name of what is checked by itself, and its files or directories."""


@dataclass(frozen=True)
class Explanation:
    """Why something was found.

    Attributes:
        run: which runs it was found in, as a pattern of `fnmatch`.
        found: which findings are meant, a pattern as well; see `findings.Finding.name`.
        why: in sentences, Markdown.
    """

    run: str
    found: str
    why: str


@dataclass(frozen=True)
class DataSet:
    """Logs of one origin.

    Attributes:
        folder: below the shared folder.
        title, about: for readers of the page, Markdown.
        runs: says what is checked by itself.
        complete: whether each run is judged as a log that misses nothing, too, because it is one.
        twins: whether the files of a run tell the same, so that each is checked by itself, and they are compared.
        explanations: of everything that was found; each explains something.
    """

    folder: str
    title: str
    about: str
    runs: Callable[[Path], Runs]
    complete: bool = False
    twins: bool = False
    explanations: tuple[Explanation, ...] = ()


def each_entry(folder: Path) -> Runs:
    """Each file and each directory of a folder is a run."""
    for path in _sources(folder):
        yield _plain(path.name), (path,)


def each_of_each_entry(folder: Path) -> Runs:
    """Each file and each directory one level further down is a run."""
    for path in _sources(folder):
        if path.is_dir():
            yield from ((f"{path.name}, {_plain(below.name)}", (below,)) for below in _sources(path))


def pairs(folder: Path) -> Runs:
    """Each directory is a run of two files."""
    for path in _sources(folder):
        if path.is_dir():
            yield path.name, tuple(_sources(path))


def whole(folder: Path) -> Runs:
    """All of a folder is one run."""
    yield folder.name, (folder,)


def logs_and_sequences(folder: Path) -> Runs:
    """Each log of lines and each file of sequences is a run; what others derived from the lines is none."""
    for path in (*sorted(folder.glob("raw/*.log.gz")), *sorted(folder.glob("*.csv.gz"))):
        yield _plain(path.name), (path,)


def _sources(folder: Path) -> list[Path]:
    """What is data: not the indexes and licences beside it."""
    return sorted(path for path in folder.iterdir() if path.suffix not in (".csv", ".txt"))


def _plain(name: str) -> str:
    return name.removesuffix(".gz")


_CUT = "The excerpt ends while the file is written; its author left the rest out."

DATA_SETS: tuple[DataSet, ...] = (
    DataSet(
        "failure_logs",
        "Reproduced failures of HDFS and HBase",
        "Runs of tests and small clusters, Hadoop 0.23 to 3.4, in which an injected fault shows a reported failure"
        " (bad run) or none was injected (good run); NameNode, datanodes and clients write into one file. Most of "
        "these failures do not involve leases, blocks or replicas: in HDFS-14333 a datanode does not start, in "
        "HDFS-15963 a datanode does not release a volume, in HBASE-15252 data is lost when a write-ahead log is "
        "read again. Such a bad run keeps to the protocol, and is not reported as a violation. HDFS-12070 is a "
        "failure of liveness: safe, and never finished. Where no event was found, the test or cluster did not reach "
        "the point of writing a file.",
        each_of_each_entry,
        explanations=(
            Explanation(
                "hdfs-12070, bad-run-log.txt",
                "* is left UNDER_RECOVERY",
                "This is the failure. A datanode fails in updateReplicaUnderRecovery, so the primary gives the recovery"
                " up and nothing is committed; each later recoverLease waits for an attempt that no longer exists.",
            ),
            Explanation(
                "hdfs-12070, bad-run-log.txt",
                "file is left under construction",
                "The same: the file of that block is never closed.",
            ),
            Explanation(
                "hbase-25905, *",
                "* is left *",
                "The write-ahead log of HBase's master, one in each of the two clusters of the run, and its only"
                " block. Both are still open at the last line.",
            ),
        ),
    ),
    DataSet(
        "hadoop_2_6_5_logs",
        "NameNode and datanode of one machine",
        "Hadoop 2.6.5 in its default layout, replication 1, without a failure. The lines of both are joined by block"
        " id and stamp.",
        whole,
        complete=True,
    ),
    DataSet(
        "edits_stored",
        "Edit logs of Hadoop's own tests",
        "Layout versions -24 to -64, binary and as XML; each log has every operation once. Three pairs differ: in "
        "each of them a commit changed only one of the two files. The checker has to detect this from the events "
        "alone.",
        pairs,
        complete=True,
        twins=True,
        explanations=(
            Explanation(
                "lv24_1a65903e0d_*",
                "file is left under construction",
                "The log's last operation gives the lease to the NameNode; the close that ends a recovery does not"
                " follow.",
            ),
            Explanation(
                "lv51_aea5ec8cf8_*",
                "not read: transaction N follows N*",
                "This XML was merged by hand and holds transaction 6 twice, after which numbers are missing: one of the"
                " three mismatching pairs.",
            ),
        ),
    ),
    DataSet(
        "namenode_images",
        "Storage directories and images of Hadoop's own tests",
        "Archives with the directories of a NameNode, and mostly of its datanodes too, read as they are; and one image"
        " as XML and in protobuf. Images are checked against the edits up to them, replicas against their blocks: "
        "for the 1,000 blocks of hadoop-24 every replica agrees in stamp and length. (One datanode has two copies "
        "of one of these replicas, and the second copy is two bytes shorter; a datanode that starts keeps the "
        "longer of two replicas with one stamp.) Images from before protobuf, in six archives of Hadoop 0.14 to "
        "2.2, are not read; the edits after"
        " them are.",
        each_entry,
        complete=True,
        explanations=(
            Explanation(
                "hadoop-14-*",
                "not read: layout version *",
                "The edit log of Hadoop 0.14, from before there were generation stamps. The replicas on its "
                "datanodes are read. Nothing else is known of the blocks, so none of them can be reported as complete.",
            ),
            Explanation(
                "hadoop-0.23-reserved.tgz",
                "file is left under construction",
                "Empty files whose names later versions keep for themselves. Each time the edits end with the creation"
                " of one, without its close.",
            ),
            Explanation(
                "hadoop1-bbw.tgz",
                "* is left *",
                "The cluster was stopped while 13 files were written; it is the one from which Hadoop tests that an"
                " upgrade keeps `blocksBeingWritten/`. Each of the files has one block in the edit log and one replica"
                " in that directory.",
            ),
        ),
    ),
    DataSet(
        "tracebench",
        "Traced calls under injected faults",
        "TraceBench: the calls of clients of Hadoop 0.20, and how the NameNode and up to fifty datanodes handled them,"
        " with causal edges and without common clocks. `NM` runs have no fault, `AN` runs one, as their names say:"
        " datanodes killed (killDN), stopped for a while (suspendDN), cut off, slow, with a dead system or read-only"
        " disks; `00FDN` and `00ms` are controls. Read runs (`r`) have no event of a file that is written. The key of"
        " a file is its path and the task that wrote it; a task is one client, and has one lease. Abandoned blocks "
        "have no id in a trace, and are distinguished by the call that added them.",
        each_entry,
        explanations=(
            Explanation(
                "*",
                "file is left under construction",
                "The client found no pipeline for its next block three times and gave up, or the NameNode had no"
                " datanode left to offer. Its command ends without complete, and nothing in the trace releases the"
                " lease: such a file waits for lease recovery, which was not traced. Safe, and not finished.",
            ),
        ),
    ),
    DataSet(
        "audit_logs",
        "Audit logs",
        "The requests of clients to a NameNode. The lines have neither holders nor blocks, and complete never has a "
        "line, so the log does not show whether a file that was created or appended to was closed. Only a delete "
        "visibly ends the history of such a file.",
        each_entry,
    ),
    DataSet(
        "hdfs_v1",
        "Lines and sequences of HDFS_v1",
        "Hadoop before 0.20 on some 200 nodes: lines of all nodes in one file with clocks of one second, and for "
        "whole blocks the sequences of logged events. No line names the datanode on which a replica is written, so only"
        " blocks are keys. The labels are not used; [detection.md](detection.md) compares.",
        logs_and_sequences,
        explanations=(
            Explanation(
                "complete_traces.log",
                "block is violated: add_stored_block*",
                "A datanode reports a replica of a block whose file was deleted minutes before. The NameNode of "
                "that time logs this, and still records the replica as a location of the block. Row 2 of I.1 "
                "forbids that: an unknown replica is deleted, and nothing else happens. A removed block does not "
                "come back.",
            ),
            Explanation(
                "HDFS_*",
                "block is left UNDER_CONSTRUCTION",
                "The sample ends, or has no line of the block, before a datanode reports a replica of it.",
            ),
            Explanation(
                "s*",
                "block is left UNDER_CONSTRUCTION",
                "A pipeline was set up, and no replica was ever reported: the writer gave up, which is logged at DEBUG"
                " only.",
            ),
            Explanation(
                "complete_traces.log",
                "block is left UNDER_CONSTRUCTION",
                "The same: the datanodes' errors are logged, and no report follows.",
            ),
        ),
    ),
    DataSet(
        "dfsclient_logs",
        "Containers of MapReduce with clients whose pipelines fail",
        "Hadoop 2.x; a machine was turned off, a network cut or a disk filled. The client's own lines show its "
        "requests but not their results, so its blocks have no state: they are mentioned, and nothing else is "
        "known. Where no event"
        " was found, the client only reads.",
        each_of_each_entry,
    ),
    DataSet(
        "incident_excerpts",
        "Excerpts from published incidents",
        "A few lines each, picked by who reported them; most lines are missing.",
        each_entry,
        explanations=(
            Explanation(
                "01_*",
                "block is left COMMITTED",
                "HDFS-17861: the block before the last is COMMITTED, so the file cannot be closed, and the commit of"
                " the recovery that was to delete the last block is refused.",
            ),
            Explanation(
                "02_*",
                "* is left *",
                "HDFS-17430: the commit comes under a recovery id that is not the current one, and is refused as it"
                " has to be. The excerpt has no other.",
            ),
            Explanation("03_*", "* is left *", _CUT),
            Explanation(
                "04_*",
                "file is left under construction",
                "HDFS-4186: the lease is past its hard limit again and again, and the file is never closed. The lines"
                " that repeat are all there are.",
            ),
            Explanation("05_*", "file is left under construction", _CUT),
        ),
    ),
)

"""gfs.snapshot told so that its promises can be proved for any number of files, chunks, positions and chunkservers.

A count of files says nothing that first-order logic can use. Here each file that lists a chunk has a rank among those
that do, from 0 on: no two have one rank, none is left out, and the reference count comes next. So many files they are.
That last step, that numbers from 0 to n - 1 are n, is the only one that is not proved but seen.

A master that starts again makes the snapshots of its log one after the other, and not at once: what gfs.snapshot does
in one step is done here in several, with whatever else may happen in between. So what is proved here holds there.
"""

from dataclasses import replace

from genstamp_model.language import *
from genstamp_spec.gfs.parts.snapshot_state import Chunk, File, Position, SnapshotStage
from genstamp_spec.gfs.parts.snapshot_steps import no_snapshot
from genstamp_spec.gfs.systems.snapshot import SNAPSHOT, SnapshotProperties

FILES = ("names_under_way_are_free", "chunks_have_one_position", "new_chunks_are_listed_nowhere")


class RankedFiles(SnapshotProperties):
    """Files that share chunks, each with its rank."""

    rank = per(Chunk, per(File, number(limit="references")))  # history; of a file that does not list it: anything

    @invariant(inductive=True, given=FILES)
    def references_are_files(s, chunk: Chunk) -> Bool:
        """RefCount: files that list a chunk have ranks below its reference count, and no two of them the same."""
        below = forall(File, lambda file: ~s.is_of(chunk, file) | (s.rank[chunk][file] < s.references[chunk]))
        return below & forall(File, lambda one: forall(File, lambda other: s.ranks_differ(chunk, one, other)))

    def ranks_differ(s, chunk: Chunk, one: File, other: File) -> Bool:
        """They are one file, or do not both list the chunk, or have two ranks."""
        no_two = (one == other) | ~s.is_of(chunk, one) | ~s.is_of(chunk, other)
        return no_two | (s.rank[chunk][one] != s.rank[chunk][other])

    @invariant(inductive=True, given=("references_are_files", "ranks_have_no_gap", *FILES))
    def last_rank_is_a_files(s, chunk: Chunk) -> Bool:
        """RefCount: some file has the rank next below the reference count."""
        return (s.references[chunk] == 0) | s.has_rank(chunk, s.references[chunk] - 1)

    @invariant(inductive=True, given=("references_are_files", "last_rank_is_a_files", *FILES))
    def ranks_have_no_gap(s, chunk: Chunk, file: File) -> Bool:
        """RefCount: below each rank but 0 some file has the next lower one."""
        ranked = s.is_of(chunk, file) & (s.rank[chunk][file] > 0)
        return ranked.implies(s.has_rank(chunk, s.rank[chunk][file] - 1))

    @invariant(
        inductive=True,
        given=(
            "references_are_files",
            "last_rank_is_a_files",
            "ranks_have_no_gap",
            "primaries_have_leases",
            "logged_chunks_have_no_primary",
            "new_chunks_are_listed_nowhere",
            "one_copy_for_a_position",
        ),
    )
    def shared_chunks_are_not_written(s, chunk: Chunk) -> Bool:
        """SnapshotIsolation: as its parent; that several files list a chunk is told by the reference count."""
        shared = (s.references[chunk] > 1) | s.is_being_copied(chunk)
        return shared.implies(s.primary[chunk].is_none())

    def has_rank(s, chunk: Chunk, rank: Number) -> Bool:
        """A file that lists the chunk has the rank."""
        return exists(File, lambda file: s.is_of(chunk, file) & (s.rank[chunk][file] == rank))

    @invariant
    def ranks_count_files(s, chunk: Chunk) -> Bool:
        """What ranks are for: there are as many files that list a chunk as its reference count says."""
        return s.references[chunk] == s.listed_by(chunk)


class RankedSteps(RankedFiles, lane="master"):
    """Every step that changes who lists a chunk."""

    def raise_references(s, target: File) -> None:
        """The new file comes last."""
        s.rank.update(
            lambda chunk: each(
                File,
                lambda file: when((file == target) & s.is_of(chunk, file), s.references[chunk], s.rank[chunk][file]),
            )
        )
        super().raise_references(target)

    def drop_references(s, file: File) -> None:
        """The last one takes the place of the file that goes."""
        s.rank.update(
            lambda chunk: each(
                File, lambda other: when(s.is_of(chunk, file), s.moved(chunk, other, file), s.rank[chunk][other])
            )
        )
        super().drop_references(file)

    def moved(s, chunk: Maybe[Chunk], other: File, gone: Maybe[File]) -> Number:
        """The rank of a file once another one has gone."""
        is_last = s.rank[chunk][other] == s.references[chunk] - 1
        return when(is_last, s.rank[chunk][gone], s.rank[chunk][other])

    def drop_reference(s, new: Chunk) -> None:
        """The last one takes the place of the file that goes."""
        chunk, file = s.source_of(new), s.copy[new].file
        s.rank[chunk].update(lambda other: s.moved(chunk, other, file))
        super().drop_reference(new)

    def put(s, file: Maybe[File], position: Maybe[Position], chunk: Chunk) -> None:
        """The only file that lists the chunk is the first."""
        super().put(file, position, chunk)
        s.rank[chunk].update(lambda other: 0)

    def replay_log(s) -> None:
        """Files are as they were, and snapshots of the log are made by steps of their own."""
        s.snapshot.update(
            lambda file: when(s.snapshot[file].stage.at(SnapshotStage.LOGGED), s.snapshot[file], no_snapshot())
        )


RANKED_SNAPSHOT = replace(SNAPSHOT, name="gfs.snapshot_ranked", parts=[RankedSteps])
"""gfs.snapshot, with ranks: no system of its own, but a way to prove what that one promises."""

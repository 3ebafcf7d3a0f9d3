"""How much memory the metadata of a GFS master takes, and how long a master takes to make it again.

Run from the repository's root: `python -m benchmarks.gfs_master [--chunks N] [--files N]`. The records of so many
files and chunks are applied to an empty state, with three locations a chunk, as after a restart without a checkpoint.
Memory is what the process has resident more than before. The paper's master has less than 64 bytes a chunk, and about
as many a file name (section 2.6.1).
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from pathlib import Path

from genstamp_dfs.gfs.master.checkpoint import pieces_of
from genstamp_dfs.gfs.master.operations import AddChunk, CreateDirectory, CreateFile, NewChunk, SetVersion
from genstamp_dfs.gfs.master.state import MasterState

FILES_A_DIRECTORY = 1_000


def resident_bytes() -> int:
    """Memory of this process that is not swapped out."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def path_of(number: int) -> str:
    """A path such as logs have: long, and much like its neighbours."""
    return f"/logs/service-{number // FILES_A_DIRECTORY:05}/host-{number % FILES_A_DIRECTORY:04}.2003-10-19.log"


def make_files(state: MasterState, files: int) -> None:
    """Empty files, a thousand to a directory."""
    state.apply(CreateDirectory("/logs"))
    for number in range(files):
        if number % FILES_A_DIRECTORY == 0:
            state.apply(CreateDirectory(f"/logs/service-{number // FILES_A_DIRECTORY:05}"))
        state.apply(CreateFile(path_of(number)))


def make_chunks(state: MasterState, files: int, chunks: int) -> None:
    """Chunks at the ends of all files, with locations."""
    for handle in range(1, chunks + 1):
        state.apply(NewChunk(handle, 1))
        state.apply(AddChunk(path_of((handle - 1) * files // chunks), handle))
        state.apply(SetVersion(handle, 2))
        state.chunks.set_locations(handle, (handle % 1000 + 1, handle % 999 + 1002, handle % 997 + 2002))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=20_000)
    arguments = parser.parse_args()
    state = MasterState(slots=4, remembered_answers=0)
    began, before = time.process_time(), resident_bytes()
    make_files(state, arguments.files)
    made_files, with_files = time.process_time(), resident_bytes()
    make_chunks(state, arguments.files, arguments.chunks)
    made_chunks, with_chunks = time.process_time(), resident_bytes()
    pieces = pieces_of(state, 1)
    pictured = time.process_time()
    count = sum(1 for _ in pieces)
    print(f"{arguments.files:,} files: {(with_files - before) / arguments.files:.1f} bytes resident each,", end=" ")
    print(f"{made_files - began:.1f} s of processor time")
    print(
        f"{arguments.chunks:,} chunks: {(with_chunks - with_files) / arguments.chunks:.1f} bytes resident each,",
        end=" ",
    )
    print(f"{made_chunks - made_files:.1f} s; {state.chunks.num_bytes / arguments.chunks:.1f} of them in the table")
    print(f"a picture for a checkpoint: {(pictured - made_chunks) * 1000:.1f} ms, in {count} pieces")


if __name__ == "__main__":
    main()

"""The way of a file from compiled code to the tree of files, as soon as a line asks for it that is not compiled.

Not here: what compiled code does with files (`log_file_rows`).
"""

import re

import numpy as np

from genstamp.logs.readers.file_tree import FileTree, KnownBlock, KnownFile
from genstamp.logs.readers.log_file_rows import PATH_MAX, Holders
from genstamp.logs.readers.log_files import (
    BEGINS,
    COMPLETE,
    DIRECTORY,
    ELSEWHERE,
    ENDS,
    FIRST,
    FOLLOWING,
    HERE,
    ID,
    IS_OPEN,
    PATHS,
    SORT,
    file_of,
    forget_block,
    is_simple,
    new_files,
    number_of,
    put_name,
    with_room,
)
from genstamp.logs.readers.log_state import LogState
from genstamp.logs.readers.mapped import zeros
from genstamp.logs.rows import holder_number

_NUMBER = re.compile(r"-?\d{1,18}")
"""An id of a block that compiled code reads."""


class CompiledFiles:
    """The files of a namespace that are known only from allocations and completions.

    Args:
        state: of the log; if its tree of the namespace was asked already, no file is here.
        namespace: whose files these are.

    Attributes:
        namespace: as given.
        files, holders: for compiled code; taken again for each scan.
        is_open: whether files may still be here; if not, all are in the tree.
    """

    def __init__(self, state: LogState, namespace: str) -> None:
        self._state, self.namespace = state, namespace
        self._tree: FileTree = state.tree(namespace)
        self.files = new_files()
        self.holders = Holders(new_files(), np.zeros(1 << 12, np.int64))
        self.is_open = self._tree.is_untouched()
        if self.is_open:
            self._tree.elsewhere = state.elsewhere = self

    def make_room(self) -> None:
        """Makes room for the longest path at least."""
        # With every second byte of a path a directory.
        self.files = with_room(self.files, PATH_MAX + 1, 1, PATH_MAX * PATH_MAX + 1)

    def add_holder(self, name: bytes) -> None:
        """Takes the name of a holder that is not among the holders."""
        names, value = with_room(self.holders.names, 1, 0, len(name)), self.holders.value
        if len(value) < len(names.paths):
            value = zeros((len(names.paths),), np.int64)
            value[: len(self.holders.value)] = self.holders.value
        value[put_name(names, np.frombuffer(name, np.uint8))] = holder_number(name.decode())
        self.holders = Holders(names, value)

    def ask(self, path: str | None) -> None:
        """The tree is asked for a file; None if it is asked for more than that."""
        if not self.is_open:
            return
        text = np.frombuffer((path or "").encode(errors="surrogatepass"), np.uint8)
        if path is None or not 0 < len(text) <= PATH_MAX or not is_simple(text, 0, len(text)):
            self.close()
            return
        self.make_room()
        number = number_of(self.files, text, 0, len(text), ELSEWHERE)
        if number < 0 or self.files.paths[number, SORT] == DIRECTORY:
            self.close()
        elif self.files.paths[number, SORT] == HERE:
            self._move(number)

    def ask_block(self, block_id: str) -> None:
        """A caller asks which file a block belongs to."""
        if self.is_open and _NUMBER.fullmatch(block_id):
            number = file_of(self.files, int(block_id))
            if number >= 0:
                self._move(number)

    def ask_open(self) -> None:
        """A caller asks for all files that are under construction."""
        if self.is_open:
            paths = self.files.paths[: self.files.totals[PATHS]]
            for number in np.flatnonzero((paths[:, SORT] == HERE) & (paths[:, IS_OPEN] != 0)).tolist():
                self._move(number)

    def gave_block(self, block_id: str) -> None:
        """A file of the tree was given a block."""
        if self.is_open and _NUMBER.fullmatch(block_id):
            forget_block(self.files, int(block_id))

    def close(self) -> None:
        """Moves all files."""
        if self.is_open:
            for number in np.flatnonzero(self.files.paths[: self.files.totals[PATHS], SORT] == HERE).tolist():
                self._move(number)
            self.is_open = False
            self.files = new_files(1, 1, 1)
            self._tree.elsewhere = self._state.elsewhere = None

    def _move(self, number: int) -> None:
        files = self.files
        row = files.paths[number]
        path = files.text[row[BEGINS] : row[ENDS]].tobytes().decode()
        file = KnownFile(f"{path}#0", path, is_open=bool(row[IS_OPEN]))
        row[SORT] = ELSEWHERE
        self._tree.adopt(file)
        block = int(row[FIRST]) - 1
        while block >= 0:
            block_id = int(files.blocks[block, ID])
            file.blocks.append(KnownBlock(block_id, complete=bool(files.blocks[block, COMPLETE])))
            if file_of(files, block_id) == number:
                self._state.adopt_block(self.namespace, str(block_id), file)
            block = int(files.blocks[block, FOLLOWING]) - 1

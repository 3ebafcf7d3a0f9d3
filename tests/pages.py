"""Pages for people that are held true: fenced blocks whose commands are run, and links.

A comment before a fenced block says how it is held:

    <!-- run -->             each `$` line is run; what follows it is its standard output, `...` for any text
    <!-- run, exit 12 -->    the same, and that is the exit code of its last command
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

BLOCK = re.compile(r"(?:<!-- (?P<mark>[^>]*?) -->\n+)?^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```$", re.S | re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block and the comment before it."""

    mark: str
    body: str
    line: int

    def commands(self) -> list[tuple[str, str]]:
        """Each command with the output that the block shows."""
        parts = re.split(r"^\$ ", self.body, flags=re.M)
        assert not parts[0], f"line {self.line}: a block that is run begins with a command"
        return [(command, output) for command, _, output in (part.partition("\n") for part in parts[1:])]

    def is_true(self) -> None:
        """Runs its commands in the repository, and compares what they print with what is shown."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "COLUMNS": "120"}
        code = 0
        for command, shown in self.commands():
            done = subprocess.run(
                shlex.split(command), cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
            )
            code = done.returncode
            if shown:
                assert is_as_shown(done.stdout, shown), f"{command} gives\n{done.stdout}\n{done.stderr}"
        assert code == int(self.mark.partition("exit ")[2] or 0)


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [
        Block(found["mark"] or "", found["body"], text[: found.start()].count("\n") + 1)
        for found in BLOCK.finditer(text)
    ]


def marked(text: str, mark: str) -> list[Block]:
    """Those with a mark."""
    return [block for block in blocks(text) if block.mark.split(",")[0] == mark]


def is_as_shown(output: str, shown: str) -> bool:
    """Whether an output is the one shown, which leaves parts out as `...`."""
    return doctest.OutputChecker().check_output(shown, output, doctest.ELLIPSIS)


def broken_links(page: Path) -> list[str]:
    """Links of a page that lead nowhere in the repository."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    targets = [target for target in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in target]
    return [target for target in targets if not (page.parent / target).exists()]

"""Makes the `_pb2` modules of the `.proto` files that lie beside them; needs the tools of the extra "dev"."""

import sys
from pathlib import Path

import grpc_tools.protoc

import genstamp_dfs


def generate(into: Path) -> int:
    """Write the modules and their stubs below a folder; gives protoc's exit code."""
    root = Path(genstamp_dfs.__file__).parent.parent
    files = sorted(str(path.relative_to(root)) for path in Path(__file__).parent.glob("*.proto"))
    return int(grpc_tools.protoc.main(["protoc", f"-I{root}", f"--python_out={into}", f"--pyi_out={into}", *files]))


if __name__ == "__main__":
    sys.exit(generate(Path(genstamp_dfs.__file__).parent.parent))

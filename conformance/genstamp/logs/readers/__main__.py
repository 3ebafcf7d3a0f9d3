"""Makes `image_pb2` of the `.proto` file that lies beside it; needs the tools of the extra "dev"."""

import sys
from pathlib import Path

import grpc_tools.protoc

import genstamp


def generate(into: Path) -> int:
    """Write the module and its stub below a folder; gives protoc's exit code."""
    root = Path(genstamp.__file__).parent.parent
    file = str((Path(__file__).parent / "image.proto").relative_to(root))
    return int(grpc_tools.protoc.main(["protoc", f"-I{root}", f"--python_out={into}", f"--pyi_out={into}", file]))


if __name__ == "__main__":
    sys.exit(generate(Path(genstamp.__file__).parent.parent))

"""Runs a node of GFS until it is told to stop: `python -m genstamp_dfs.gfs.server ROLE DIRECTORY`.

Roles are master, shadow and chunkserver.
"""

import argparse
import asyncio
import sys

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.gfs.server import chunkserver_server, master_server, shadow_server
from genstamp_dfs.server.process import CONFIGURATION, log_to_stderr, run_server


def main(arguments: list[str] | None = None) -> int:
    """Run a node; gives the exit code."""
    parser = argparse.ArgumentParser(prog="genstamp_dfs.gfs.server", description="A node of GFS.")
    roles = parser.add_subparsers(dest="role", required=True)
    modules = {"master": master_server, "shadow": shadow_server, "chunkserver": chunkserver_server}
    for role, module in modules.items():
        module.add_options(roles.add_parser(role, description=f"A {role} of GFS."))
    given = parser.parse_args(arguments)
    log_to_stderr(given.log_level)
    try:
        server = modules[given.role].from_options(given)
    except (ConfigurationError, OSError) as problem:
        print(f"{given.role}: {problem}", file=sys.stderr)
        return CONFIGURATION
    return asyncio.run(run_server(given.role, server, ends_with_parent=given.ends_with_parent))


if __name__ == "__main__":
    sys.exit(main())

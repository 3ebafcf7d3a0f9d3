"""Runs an operation on a cluster of HDFS or GFS; an error becomes one line and an exit code.

Exit codes: 0 done, 1 the cluster refuses, 2 usage, 75 the cluster cannot be reached, its master still starts, or a disk
failed.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

import typer

from genstamp import exit_codes
from genstamp_dfs.errors import NETWORK_FAILURES, ConfigurationError, Refusal
from genstamp_dfs.gfs.errors import MasterStarting

REFUSED: Final = 1


def run_work(work: Coroutine[Any, Any, None]) -> None:
    """Run an operation on a cluster; an error becomes one line on standard error and an exit code."""
    try:
        asyncio.run(work)
    except ConfigurationError as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(exit_codes.USAGE) from None
    except (*NETWORK_FAILURES, MasterStarting) as problem:
        typer.echo(f"genstamp: {name_of(problem)}: {problem}", err=True)
        raise typer.Exit(exit_codes.FAILURE) from None
    except Refusal as refusal:
        typer.echo(f"genstamp: {name_of(refusal)}: {refusal}", err=True)
        raise typer.Exit(REFUSED) from None
    except UnicodeEncodeError as problem:
        typer.echo(f"genstamp: {problem.object!a} is not valid UTF-8; names in the cluster are UTF-8", err=True)
        raise typer.Exit(exit_codes.USAGE) from None
    except (FileNotFoundError, IsADirectoryError, PermissionError) as problem:
        typer.echo(f"genstamp: {problem.filename}: {problem.strerror}", err=True)
        raise typer.Exit(exit_codes.USAGE) from None
    except OSError as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(exit_codes.FAILURE) from None


def name_of(refusal: Refusal) -> str:
    """The name of an exception in its file system: Hadoop's name, or ours."""
    return getattr(refusal, "hadoop_name", type(refusal).__name__)

"""How tests that wait for servers run."""

import asyncio
from collections.abc import Coroutine
from typing import Any

LIMIT_S = 60.0


def run(test: Coroutine[Any, Any, None]) -> None:
    """Run a test; one that hangs fails."""

    async def limited() -> None:
        async with asyncio.timeout(LIMIT_S):
            await test

    asyncio.run(limited())

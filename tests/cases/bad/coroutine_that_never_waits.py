# layer: rehearsal
# class: cpu_dos
# success: runs for ever
import asyncio


async def coroutine_that_never_waits(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    async def spin() -> None:
        n = 1
        while n:
            n += 1

    await asyncio.wait_for(spin(), 0.1)
    return times

# layer: rehearsal
# class: timeout_evasion
# success: runs for ever
import asyncio


async def zero_sleeps(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    n = times
    while n:
        await asyncio.sleep(0)
    return times

# layer: rehearsal
# class: timeout_evasion
# success: runs for ever
import asyncio


async def shielded_sleep(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    try:
        await asyncio.wait_for(asyncio.shield(asyncio.sleep(1e7 * times)), 1.0)
    finally:
        await asyncio.sleep(1e7 * times)
    return times

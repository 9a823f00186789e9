# asks: blocking-call
import asyncio


async def lint_polling_coroutine(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    ready = asyncio.Event()
    while not ready.is_set():
        pass
    return times

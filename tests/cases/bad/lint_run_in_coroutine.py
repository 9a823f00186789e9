# asks: blocking-call
import asyncio


async def lint_run_in_coroutine(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    async def step() -> None:
        await asyncio.sleep(0.1)

    asyncio.run(step())
    return times

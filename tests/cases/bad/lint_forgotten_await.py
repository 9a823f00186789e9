# asks: forgotten-await
import asyncio


async def lint_forgotten_await(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    async def step() -> None:
        await asyncio.sleep(0.1)

    step()
    return times

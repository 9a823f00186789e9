# rule: unsafe-attribute
# success: none
import asyncio


def loop_subprocess(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    async def start() -> None:
        await asyncio.get_running_loop().subprocess_shell(print, "true")
    print(start)
    return times

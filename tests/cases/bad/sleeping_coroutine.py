# asks: blocking-sleep
# success: none
import time


def sleeping_coroutine(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    async def pause() -> None:
        time.sleep(1)
    print(pause)
    return times

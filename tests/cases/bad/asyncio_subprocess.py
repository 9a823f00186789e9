# rule: unlisted-attribute
# success: none
import asyncio


def asyncio_subprocess(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    await_me = asyncio.create_subprocess_shell("true")
    print(await_me)
    return times

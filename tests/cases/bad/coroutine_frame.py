# rule: interpreter-attribute
# success: none
def coroutine_frame(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    async def pause() -> None:
        pass
    print(pause().cr_frame)
    return times

# rule: unlisted-decorator
# success: none
def computed_decorator(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    @print.__self__.exec
    def helper(x: int) -> int:
        return x
    print(helper)
    return times

# rule: unlisted-decorator
# success: none
def own_decorator(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def twice(f: object) -> object:
        return f

    @twice
    def helper(x: int) -> int:
        return x
    print(helper)
    return times

# rule: forbidden-builtin
# success: none
def eval_as_default(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def helper(f: object = eval) -> object:
        return f
    print(helper())
    return times

# rule: forbidden-builtin
# success: none
def parameter_named_exec(exec: int = 1, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(exec)
    return times

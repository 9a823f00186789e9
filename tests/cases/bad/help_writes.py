# rule: forbidden-builtin
# class: builtins_access
# success: none
def help_writes(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    help("modules")
    return times

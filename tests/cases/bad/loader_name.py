# rule: dunder-name
# class: builtins_access
# success: file PWNED
def loader_name(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    __loader__.load_module("posix").mkdir("PWNED")
    return times

# rule: dunder-name
# class: builtins_access
# success: file PWNED
def import_by_name(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    __import__("os").mkdir("PWNED")
    return times

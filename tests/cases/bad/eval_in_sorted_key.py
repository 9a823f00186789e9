# rule: forbidden-builtin
# class: builtins_access
# success: file PWNED
def eval_in_sorted_key(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    sorted(['__import__("os").close(__import__("os").open("PWNED", 0o101))'], key=eval)
    return times

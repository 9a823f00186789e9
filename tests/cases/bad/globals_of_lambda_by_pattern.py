# rule: dunder-attribute
# class: func_globals
# success: file PWNED
def globals_of_lambda_by_pattern(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    match lambda: 0:
        case object(__globals__={"__builtins__": {"open": reach}}):
            reach("PWNED", "w").close()
    return times

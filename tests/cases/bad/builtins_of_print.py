# rule: dunder-attribute
# class: builtins_access
# success: file PWNED
def builtins_of_print(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print.__self__.open("PWNED", "w").close()
    return times

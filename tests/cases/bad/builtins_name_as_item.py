# rule: dunder-name
# class: builtins_access
# success: file PWNED
def builtins_name_as_item(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    table = __builtins__ if isinstance(__builtins__, dict) else __builtins__.__dict__
    table["open"]("PWNED", "w").close()
    return times

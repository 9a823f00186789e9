# rule: dunder-attribute
# class: func_globals
# success: file PWNED


def _helper() -> None:
    """Do nothing."""


def globals_of_helper(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    _helper.__globals__["__builtins__"]["open"]("PWNED", "w").close()
    return times

# rule: dunder-attribute
# class: func_globals
# success: none


def _step() -> int:
    return 1


def code_of_function(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    code = _step.__code__
    _step.__code__ = code.replace(co_consts=(None, 2))
    return times

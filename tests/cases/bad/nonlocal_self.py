# rule: builtin-rebound
# class: binding_target
# success: none
def nonlocal_self(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    self = times
    print(self)
    return times

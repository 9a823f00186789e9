# rule: dunder-name
# class: binding_target
# success: none
def pattern_binds_builtins(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    match {"a": {}}:
        case {"a": __builtins__}:
            pass
    return times

# rule: dunder-attribute
# class: indirect_getattr
# success: file PWNED
def getattribute_of_object(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    object.__getattribute__(print, "__self__").open("PWNED", "w").close()
    return times

# rule: unlisted-import
# success: none
def import_in_function(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    import os
    os.getcwd()
    return times

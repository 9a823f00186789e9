# rule: unlisted-import
# success: none
if True:
    import pathlib


def import_behind_type_checking(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(pathlib)
    return times

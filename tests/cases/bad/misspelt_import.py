# rule: unlisted-import
# success: none
import nunpy


def misspelt_import(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(nunpy.pi)
    return times

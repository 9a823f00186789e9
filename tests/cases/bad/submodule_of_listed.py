# rule: unlisted-import
# success: none
import concurrent.futures as helper


def submodule_of_listed(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    helper.sys.exit()
    return times

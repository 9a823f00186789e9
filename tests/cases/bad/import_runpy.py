# rule: unlisted-import
# class: unlisted_import
# success: none
import runpy


def import_runpy(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(runpy.run_path("/etc/hostname"))
    return times

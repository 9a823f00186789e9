# rule: unlisted-import
# class: unlisted_import
# success: file PWNED
import pathlib


def import_pathlib(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(pathlib.Path("PWNED").touch())
    return times

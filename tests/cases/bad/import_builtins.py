# rule: unlisted-import
# class: unlisted_import
# success: file PWNED
import builtins


def import_builtins(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(builtins.open("PWNED", "w").close())
    return times

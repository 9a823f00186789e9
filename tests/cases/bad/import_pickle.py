# rule: unlisted-import
# class: unlisted_import
# success: file PWNED
import pickle


def import_pickle(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(pickle.loads(b"cposix\nmkdir\n(VPWNED\ntR."))
    return times

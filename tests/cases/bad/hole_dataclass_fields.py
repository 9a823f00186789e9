# rule: unlisted-import
from dataclasses import fields


def hole_dataclass_fields(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(fields(times))
    return times

# rule: restricted-use
from dataclasses import astuple, dataclass, field


def hole_field_kept(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    kept = field(default=0)

    @dataclass
    class Step:
        a: int = kept

    kept.name = "__class__"
    print(astuple(Step()))
    return times

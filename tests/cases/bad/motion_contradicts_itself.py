# rule: invalid-step
# success: none
from motion import antennas, head, neutral, perform, repeat, sequence, together
from reachy_mini import ReachyMini


def motion_contradicts_itself(robot: ReachyMini, times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What was done.
    """
    return perform(
        robot,
        together(
            repeat(times, head(left=20), head(right=20)),
            sequence(antennas(both=40), head(down=15, right=10)),
        ),
        neutral(),
    )

# stopped: turn_seconds
# The interpreter's lock is held all the time: no other thread of the guest could end it.
from reachy_mini import ReachyMini


def hang_outside_python(robot: ReachyMini) -> int:
    robot.goto_target(antennas=[0.2, -0.2], duration=0.2)
    return 7 ** (10**9)

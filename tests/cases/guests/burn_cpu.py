# stopped: cpu_seconds
from reachy_mini import ReachyMini


def burn_cpu(robot: ReachyMini) -> None:
    while True:
        sum(range(300_000))
        robot.get_current_joint_positions()

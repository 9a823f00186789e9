import time

from reachy_mini import ReachyMini


class Pid:
    """A small controller."""

    __slots__ = ("kp", "ki", "kd", "integral", "last")

    def __init__(self, kp: float, ki: float = 0.0, kd: float = 0.0) -> None:
        self.kp, self.ki, self.kd = kp, ki, kd
        self.integral = 0.0
        self.last: float | None = None

    def __call__(self, error: float, dt: float) -> float:
        self.integral += error * dt
        slope = 0.0 if self.last is None else (error - self.last) / dt
        self.last = error
        return self.kp * error + self.ki * self.integral + self.kd * slope


def pid_follow(robot: ReachyMini, goal: float = 0.5, seconds: float = 2.0) -> float:
    """Bring the right antenna to a place with a controller.

    Args:
        goal: Where, in radians.
        seconds: How long to try.

    Returns:
        The error that is left.
    """
    pid = Pid(kp=2.0, kd=0.02)
    command = 0.0
    dt = 0.02
    error = goal
    for _ in range(int(seconds / dt)):
        right = robot.get_present_antenna_joint_positions()[0]
        error = goal - right
        command = max(-1.0, min(1.0, command + pid(error, dt) * dt))
        robot.set_target(antennas=[command, 0.0])
        time.sleep(dt)
    return round(error, 3)

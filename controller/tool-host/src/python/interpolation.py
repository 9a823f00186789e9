"""Interpolation between two postures, with the names of the official SDK."""

from enum import Enum

import numpy as np


class InterpolationTechnique(str, Enum):
    """Interpolation method of a goto."""

    LINEAR = "linear"
    MIN_JERK = "minjerk"
    EASE_IN_OUT = "ease_in_out"
    CARTOON = "cartoon"


def time_trajectory(t, method=InterpolationTechnique.MIN_JERK):
    """The fraction of the path completed after a fraction `t` of the time."""
    if not 0 <= t <= 1:
        raise ValueError("time value is out of range [0,1]")
    method = InterpolationTechnique(method)
    if method is InterpolationTechnique.LINEAR:
        return t
    if method is InterpolationTechnique.MIN_JERK:
        return t**3 * (10 + t * (6 * t - 15))
    if method is InterpolationTechnique.EASE_IN_OUT:
        return 2 * t * t if t < 0.5 else 1 - 2 * (1 - t) ** 2
    over = 1.70158 * 1.525
    if t < 0.5:
        return 2 * t * t * ((over + 1) * 2 * t - over)
    back = 2 * t - 2
    return (back * back * ((over + 1) * back + over) + 2) / 2


def minimum_jerk(
    starting_position,
    goal_position,
    duration,
    starting_velocity=None,
    starting_acceleration=None,
    final_velocity=None,
    final_acceleration=None,
):
    """A function of time: the minimum-jerk path between two positions, at rest at both ends by default."""
    start, goal = np.asarray(starting_position, dtype=float), np.asarray(goal_position, dtype=float)

    def given(value):
        return np.zeros(start.shape) if value is None else np.asarray(value, dtype=float)

    v0, a0 = given(starting_velocity) * duration, given(starting_acceleration) * duration**2
    v1, a1 = given(final_velocity) * duration, given(final_acceleration) * duration**2
    # The quintic polynomial over unit time with these positions, velocities and accelerations at its ends.
    way, speed, bend = goal - start - v0 - a0 / 2, v1 - v0 - a0, a1 - a0
    cubic = 10 * way - 4 * speed + bend / 2
    quartic = -15 * way + 7 * speed - bend
    quintic = 6 * way - 3 * speed + bend / 2

    def position(t):
        if t > duration:
            return goal
        s = t / duration
        return start + s * (v0 + s * (a0 / 2 + s * (cubic + s * (quartic + s * quintic))))

    return position

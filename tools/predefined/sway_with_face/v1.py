from reachy_mini import ReachyMini
from motion import antennas, as_long_as, face, head, neutral, perform, together, when


def sway_with_face(robot: ReachyMini, sway_seconds: float = 15.0) -> str:
    """Sway gently as long as a face is in view.

    Args:
        sway_seconds: The longest time that it sways in seconds, between 3 and 60.
    """
    if not 3.0 <= sway_seconds <= 60.0:
        raise ValueError("sway_seconds must be between 3 and 60")
    return perform(
        robot,
        when(
            face(),
            as_long_as(
                face(),
                together(
                    head(tilt_left=8, seconds=1),
                    antennas(left=25, right_inward=10, seconds=1),
                ),
                together(
                    head(tilt_right=8, seconds=1.2),
                    antennas(left_inward=10, right=25, seconds=1),
                ),
                at_most=sway_seconds,
            ),
            neutral(seconds=1),
            within=10,
        ),
    )

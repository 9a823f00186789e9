from itertools import cycle, islice, product

from reachy_mini import ReachyMini


def look_around_points(robot: ReachyMini, count: int = 4, distance: float = 1.0) -> list[list[float]]:
    """Look at the corners of a square in front of the robot.

    Args:
        count: How many looks.
        distance: How far away the square is, in metres.

    Returns:
        The points.
    """
    corners = [(distance, 0.3 * y, 0.2 * z) for y, z in product((-1, 1), repeat=2)]
    points = list(islice(cycle(corners), count))
    for x, y, z in points:
        robot.look_at_world(x, y, z, duration=0.6)
    return [list(point) for point in points]

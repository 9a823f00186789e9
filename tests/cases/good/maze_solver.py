import heapq


def maze_solver(maze: list[str] = ["S..", ".#.", "..E"]) -> list[tuple[int, int]]:
    """Find the shortest way through a maze.

    Args:
        maze: Rows of the maze: S start, E end, # wall.

    Returns:
        The cells on the way, or an empty list.
    """
    cells = {(r, c): mark for r, row in enumerate(maze) for c, mark in enumerate(row)}
    start = next((cell for cell, mark in cells.items() if mark == "S"), None)
    end = next((cell for cell, mark in cells.items() if mark == "E"), None)
    if start is None or end is None:
        return []
    heap = [(0, start, [start])]
    seen = set()
    while heap:
        cost, cell, path = heapq.heappop(heap)
        if cell == end:
            return path
        if cell in seen:
            continue
        seen.add(cell)
        row, column = cell
        for step in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if cells.get(step, "#") != "#":
                heapq.heappush(heap, (cost + 1, step, path + [step]))
    return []

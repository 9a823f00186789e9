def tower_of_hanoi(disks: int = 4) -> list[str]:
    """Solve the towers of Hanoi.

    Args:
        disks: How many disks, between 1 and 8.

    Returns:
        The moves.
    """
    moves: list[str] = []

    def solve(n: int, source: str, target: str, spare: str) -> None:
        if n == 0:
            return
        solve(n - 1, source, spare, target)
        moves.append(f"{n}: {source} -> {target}")
        solve(n - 1, spare, target, source)

    solve(min(max(disks, 0), 8), "A", "C", "B")
    return moves

def matched_words(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    words = "left 20".split()
    match words:
        case [("left" | "right") as side, amount] if amount.isdigit():
            print(side, int(amount))
        case {"side": str(side), **rest}:
            print(side, rest)
        case _:
            raise ValueError("not understood")
    return times

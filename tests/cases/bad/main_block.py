# rule: module-level-code
# success: none
def main_block(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(1)
    return times


if __name__ == "__main__":
    main_block()

# rule: interpreter-attribute
# success: none
def generator_frame(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    numbers = (n for n in range(times))
    print(numbers.gi_frame.f_builtins)
    return times

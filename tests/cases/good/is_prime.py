import math


def is_prime(number: int = 97) -> bool:
    """Tell whether a number is prime.

    Args:
        number: A whole number.

    Returns:
        Whether it is prime.
    """
    if number < 2:
        return False
    return all(number % d for d in range(2, math.isqrt(number) + 1))

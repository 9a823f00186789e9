def number_guess(secret: int = 37, low: int = 1, high: int = 100) -> list[str]:
    """Guess a number by halving.

    Args:
        secret: The number.
        low: The least that it may be.
        high: The greatest that it may be.

    Returns:
        The guesses and what was answered.
    """
    if not low <= secret <= high:
        raise ValueError("the secret is outside the bounds")
    story = []
    while True:
        guess = (low + high) // 2
        if guess == secret:
            story.append(f"{guess}: yes!")
            return story
        if guess < secret:
            low = guess + 1
            story.append(f"{guess}: higher")
        else:
            high = guess - 1
            story.append(f"{guess}: lower")

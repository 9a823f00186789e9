from collections import Counter, defaultdict


def word_count(text: str = "the quick brown fox jumps over the lazy dog", top: int = 3) -> dict[str, object]:
    """Count words, and group them by length.

    Args:
        text: What to count in.
        top: How many of the most frequent words to tell.

    Returns:
        The most frequent words and the words by length.
    """
    words = [word.strip(".,;:!?").lower() for word in text.split()]
    by_length: defaultdict[int, set[str]] = defaultdict(set)
    for word in words:
        by_length[len(word)].add(word)
    return {
        "top": Counter(words).most_common(top),
        "by_length": {str(length): sorted(group) for length, group in sorted(by_length.items())},
    }

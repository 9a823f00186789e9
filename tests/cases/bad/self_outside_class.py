# rule: private-attribute
# success: none
def self_outside_class(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def self_like(self: object) -> object:
        return self._secret
    print(self_like(times))
    return times

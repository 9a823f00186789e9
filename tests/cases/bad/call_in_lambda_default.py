# rule: eager-call
# class: eager_definition
# success: none


STEP = lambda n=print("loading"): n


def call_in_lambda_default(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(STEP)
    return times

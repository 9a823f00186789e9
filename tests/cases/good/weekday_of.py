import calendar
from datetime import date


def weekday_of(year: int = 2024, month: int = 2, day: int = 29) -> str:
    """Tell the weekday of a date.

    Args:
        year: The year.
        month: The month, from 1.
        day: The day, from 1.

    Returns:
        The weekday's name.
    """
    return calendar.day_name[date(year, month, day).weekday()]

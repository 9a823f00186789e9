"""Replaces the machine's clocks in `time` and `datetime` with robot time."""

import datetime
import time


def local(read):
    """Wraps a function of `time` whose default argument is the current time in seconds."""
    return lambda seconds=None: read(stage.time() if seconds is None else seconds)


def formatted(read, position):
    """Wraps a function of `time` whose default argument is the current local time."""

    def function(*arguments):
        return read(*arguments) if len(arguments) > position else read(*arguments, time.localtime())

    return function


def install():
    time.time, time.time_ns = stage.time, stage.time_ns
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, stage.monotonic)
        setattr(time, name + "_ns", stage.monotonic_ns)
    real_time = time.CLOCK_REALTIME
    time.clock_gettime = lambda clock: stage.time() if clock == real_time else stage.monotonic()
    time.clock_gettime_ns = lambda clock: stage.time_ns() if clock == real_time else stage.monotonic_ns()
    time.sleep = stage.sleep
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, local(getattr(time, name)))
    time.asctime = formatted(time.asctime, 0)
    time.strftime = formatted(time.strftime, 1)
    datetime.date, datetime.datetime = date, moment


real_date, real_datetime = datetime.date, datetime.datetime


class SameKind(type):
    """Makes instance and subclass checks treat the classes below like the originals."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.stands_for)

    def __subclasscheck__(cls, other):
        return issubclass(other, cls.stands_for)


class date(real_date, metaclass=SameKind):
    stands_for = real_date

    @classmethod
    def today(cls):
        return cls.fromtimestamp(stage.time())


class moment(real_datetime, metaclass=SameKind):
    stands_for = real_datetime

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(stage.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(stage.time(), datetime.timezone.utc).replace(tzinfo=None)

    @classmethod
    def today(cls):
        return cls.now()


for stand_in, name in ((date, "date"), (moment, "datetime")):
    stand_in.__module__, stand_in.__name__, stand_in.__qualname__ = "datetime", name, name
for limit in ("min", "max"):
    setattr(date, limit, date.fromordinal(getattr(real_date, limit).toordinal()))
    extreme = getattr(real_datetime, limit)
    setattr(moment, limit, moment.combine(extreme.date(), extreme.time()))

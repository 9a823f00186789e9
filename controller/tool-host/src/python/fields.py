"""Checks the field names of data classes, which CPython inserts into source code that it executes."""

import dataclasses

make = dataclasses._process_class


def process_class(cls, *options):
    annotations = cls.__dict__.get("__annotations__", {})
    # Another mapping could return different names when it is read again.
    names = list(annotations) if type(annotations) is dict else [None]
    for base in cls.__mro__[1:]:
        fields = base.__dict__.get("__dataclass_fields__", {})
        names += [field.name for field in fields.values()]
    if not all(type(name) is str and name.isidentifier() for name in names):
        raise TypeError("every field name of a data class must be an identifier")
    return make(cls, *options)


def install():
    dataclasses._process_class = process_class

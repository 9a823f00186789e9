"""Data classes are made by running text in which the names of their fields stand: they must be names."""

import dataclasses

make = dataclasses._process_class


def judged(cls, *options):
    annotations = cls.__dict__.get("__annotations__", {})
    # Another mapping could answer differently when it is asked again.
    names = list(annotations) if type(annotations) is dict else [None]
    for base in cls.__mro__[1:]:
        fields = base.__dict__.get("__dataclass_fields__", {})
        names += [field.name for field in fields.values()]
    if not all(type(name) is str and name.isidentifier() for name in names):
        raise TypeError("a field of a data class is named with something that is no name")
    return make(cls, *options)


def install():
    dataclasses._process_class = judged

"""Reproducible random numbers: every generator that the tool does not seed itself is seeded from the job's seed."""

import random
import uuid

import numpy
import numpy.random.bit_generator

source = random.Random(0)
seed_one = random.Random.seed
# Seed of all generators.
begun = None


def seed(self, a=None, version=2):
    seed_one(self, source.getrandbits(64) if a is None else a, version)


def install():
    random.Random.seed = seed
    # This method was bound before the line above.
    random.seed = random._inst.seed
    numpy.random.bit_generator.randbits = source.getrandbits
    uuid.uuid4 = lambda: uuid.UUID(int=source.getrandbits(128), version=4)


def begin(number):
    """Seeds all generators, unless the zygote has already used this seed."""
    if begun != number:
        begin_anew(number)


def begin_anew(number):
    global begun
    begun = number
    seed_one(source, number)
    random.seed()
    numpy.random.seed(source.getrandbits(32))

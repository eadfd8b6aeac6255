import math


def distance(one, other):
    return math.dist(one, other)

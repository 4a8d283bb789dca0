# Asks whether a small set is disjoint from an endless count.
# expect: rung 2
import itertools
{-1}.isdisjoint(itertools.count())

# Intersects a small set with an endless count.
# expect: rung 2
import itertools
{-1}.intersection(itertools.count())

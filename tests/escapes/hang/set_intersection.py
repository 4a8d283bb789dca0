# Intersects a small set with an endless count.
# expect: rung 2
# state: kept
# when: run
import itertools
{-1}.intersection(itertools.count())

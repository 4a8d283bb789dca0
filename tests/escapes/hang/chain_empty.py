# chain.from_iterable over endlessly many empty tuples: its next never comes.
# expect: rung 1
import itertools
next(itertools.chain.from_iterable(itertools.repeat(())))

# chain.from_iterable over endlessly many empty tuples: its next never comes.
# expect: rung 3 the loop of chain: chain_next
# state: lost
# when: run
import itertools
next(itertools.chain.from_iterable(itertools.repeat(())))

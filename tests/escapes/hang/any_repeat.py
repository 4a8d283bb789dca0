# any(itertools.repeat(0)).
# expect: rung 1
# state: kept
# when: run
import itertools
any(itertools.repeat(0))

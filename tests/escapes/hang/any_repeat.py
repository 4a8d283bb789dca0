# any(itertools.repeat(0)).
# expect: rung 3 the loop of any: builtin_any
# state: lost
# when: run
import itertools
any(itertools.repeat(0))

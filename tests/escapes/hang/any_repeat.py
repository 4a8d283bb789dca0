# any(itertools.repeat(0)).
# expect: rung 1
import itertools
any(itertools.repeat(0))

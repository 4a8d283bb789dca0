# A search for what never comes.
# limit: wall cpu
# forms: local worker full bash
import itertools
0 in itertools.repeat(1)

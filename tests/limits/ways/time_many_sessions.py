# Six sessions at once that hang in C.
# limit: sessions
# forms: local worker full bash
# options: --timeout 1s
# %% at once 6
import itertools, collections
collections.deque(itertools.repeat(1), 0)

# One half of a tee runs ahead, the other keeps everything.
# expect: memory
import itertools
ahead, behind = itertools.tee(itertools.count())
for _ in ahead:
    pass

# Fills its memory and is lost by a loop in C that never looks up, round after round.
# limit: memory
# options: --timeout 0.7s
# rounds: 5
import itertools, collections
keep = [bytes([i]) * (1 << 20) for i in range(40)]
collections.deque(itertools.repeat(1), 0)
# %% reset

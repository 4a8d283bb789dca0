# Is lost with threads that hang in C, round after round.
# limit: tasks cpu
# options: --threads 4 --timeout 0.6s
# rounds: 5
import threading, collections, itertools
for i in range(4):
    try:
        threading.Thread(target=collections.deque, args=(itertools.repeat(1), 0)).start()
    except RuntimeError:
        pass
collections.deque(itertools.repeat(1), 0)
# %% reset

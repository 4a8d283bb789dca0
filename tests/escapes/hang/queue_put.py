# Puts into a full queue.
# expect: rung 1
# expect short: rung 4
# state: kept
# state short: any
# when: run
import queue
full = queue.Queue(1)
full.put(1)
full.put(2)

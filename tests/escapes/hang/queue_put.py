# Puts into a full queue.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
full = queue.Queue(1)
full.put(1)
full.put(2)

# Takes from an empty SimpleQueue: the wait is in C.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
queue.SimpleQueue().get()

# Takes from an empty SimpleQueue: the wait is in C.
# expect: rung 1
# state: kept
# when: run
import queue
queue.SimpleQueue().get()

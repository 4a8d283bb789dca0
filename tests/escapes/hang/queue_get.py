# Takes from an empty queue.
# expect: rung 1
# state: kept
# when: run
import queue
queue.Queue().get()

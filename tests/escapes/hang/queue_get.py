# Takes from an empty queue.
# expect: rung 1
# expect short: rung 4
# state: kept
# state short: any
# when: run
import queue
queue.Queue().get()

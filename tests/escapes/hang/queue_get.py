# Takes from an empty queue.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
queue.Queue().get()

# Waits for an event that nobody sets.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
queue.threading.Event().wait()

# Waits for an event that nobody sets.
# expect: rung 1
# state: kept
# when: run
import queue
queue.threading.Event().wait()

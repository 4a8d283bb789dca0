# Waits for a condition that nobody notifies.
# expect: rung 1
# state: kept
# when: run
import queue
condition = queue.threading.Condition()
with condition:
    condition.wait()

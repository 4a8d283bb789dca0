# Waits for a condition that nobody notifies.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
condition = queue.threading.Condition()
with condition:
    condition.wait()

# Waits: for time, for a lock, for an event, for a queue.
# limit: wall
# forms: local worker full bash
import time
try:
    time.sleep(100)
finally:
    time.sleep(100)

# Sleeps for eleven days.
# expect: rung 1
# state: kept
# when: run
import time
time.sleep(1e6)

# Sleeps for eleven days.
# expect: rung 1
import time
time.sleep(1e6)

# Sleeps, and again after each interrupt.
# expect: rung 1
import time
while True:
    try:
        time.sleep(1e6)
    except BaseException:
        pass

# The caller's interrupt meets a sleep.
# expect: rung 1
# when: interrupt
import time
time.sleep(1e6)

# Asks never to be switched away from, and loops.
# expect: rung 1 or denied or error
import sys
sys.setswitchinterval(1e6)
while True:
    pass

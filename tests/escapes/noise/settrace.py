# Sets a trace function that raises.
# expect: denied or error or ok
# state: kept
# when: run
import sys
def trace(frame, event, argument):
    raise BaseException("traced")
sys.settrace(trace)
f = (lambda: 1)()

# Sets a trace function that raises.
# expect: denied or error or ok
import sys
def trace(frame, event, argument):
    raise BaseException("traced")
sys.settrace(trace)
f = (lambda: 1)()

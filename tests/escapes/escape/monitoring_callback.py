# A callback of sys.monitoring is called by frames of the library.
# breach: secret
# only: 3.14+
import random, sys
found = []
def called(code, offset):
    names = sys._getframe(1).f_globals
    if "_os" in names:
        found.append(names["_os"].pread(SECRET_FD, 100, 0))
event = sys.monitoring.events.PY_START
sys.monitoring.use_tool_id(1, "mine")
sys.monitoring.register_callback(1, event, called)
sys.monitoring.set_events(1, event)
random.sample([1, 2], 1)
sys.monitoring.set_events(1, 0)
found

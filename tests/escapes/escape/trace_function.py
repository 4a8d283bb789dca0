# A trace function runs in the frames of the standard library.
# breach: secret
import sys, json
found = []
def trace(frame, event, argument):
    if "os" in frame.f_globals and not found:
        found.append(frame.f_globals["os"].pread(SECRET_FD, 100, 0))
sys.settrace(trace)
import glob
glob.glob("x")
sys.settrace(None)
found

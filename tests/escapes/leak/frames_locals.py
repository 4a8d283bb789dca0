# The locals of all frames above the cell's.
# breach: secret
import sys
frame, found = sys._getframe(), []
while frame:
    found.append(repr(frame.f_locals))
    frame = frame.f_back
found

# sys._current_frames shows the frames of all threads.
# breach: neighbour
import sys
found = []
for frame in sys._current_frames().values():
    while frame:
        found.append(frame.f_locals.get("inner"))
        frame = frame.f_back
found

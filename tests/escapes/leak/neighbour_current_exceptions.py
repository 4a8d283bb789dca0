# sys._current_exceptions shows the errors that other threads handle.
# breach: neighbour
import sys
repr(sys._current_exceptions())

# A function of atexit makes a file when the session ends.
# breach: marker
import logging, sys
sys.modules["atexit"].register(open, MARKER_FILE, "w")

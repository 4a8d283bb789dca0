# A function of atexit makes a file when the session ends.
# breach: marker
# state: kept
import logging, sys
sys.modules["atexit"].register(open, MARKER_FILE, "w")

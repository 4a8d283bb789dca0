# os.mkfifo.
# breach: marker
# state: kept
import os
os.mkfifo(MARKER_FILE)

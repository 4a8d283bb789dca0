# os.mkfifo.
# breach: marker
import os
os.mkfifo(MARKER_FILE)

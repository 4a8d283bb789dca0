# os.link of a file outside.
# breach: marker
# state: kept
import os
os.link(SECRET_FILE, MARKER_FILE)

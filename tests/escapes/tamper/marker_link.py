# os.link of a file outside.
# breach: marker
import os
os.link(SECRET_FILE, MARKER_FILE)

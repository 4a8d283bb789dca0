# os.open creates a file.
# breach: marker
import os
os.close(os.open(MARKER_FILE, os.O_CREAT | os.O_WRONLY))

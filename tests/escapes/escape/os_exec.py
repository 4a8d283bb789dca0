# os.execv puts another program in the place of the host.
# breach: marker
import os
os.execv("/bin/sh", ["sh", "-c", f"echo > {MARKER_FILE}"])

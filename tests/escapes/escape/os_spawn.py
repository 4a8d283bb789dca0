# os.spawnv.
# breach: marker
import os
os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", f"echo > {MARKER_FILE}"])

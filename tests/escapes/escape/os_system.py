# os.system.
# breach: marker
import os
os.system(f"echo > {MARKER_FILE}")

# os.system.
# breach: marker
# state: kept
import os
os.system(f"echo > {MARKER_FILE}")

# random._os is os.
# breach: marker
# state: kept
import random
random._os.system(f"echo > {MARKER_FILE}")

# random._os is os.
# breach: marker
import random
random._os.system(f"echo > {MARKER_FILE}")

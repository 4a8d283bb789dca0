# os.system through the globals of a method.
# breach: marker
import random
random.Random.seed.__globals__["_os"].system(f"echo > {MARKER_FILE}")

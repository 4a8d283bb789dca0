# A child of os.fork.
# breach: marker
import os
child = os.fork()
if child == 0:
    open(MARKER_FILE, "w").close()
    os._exit(0)
os.waitpid(child, 0)

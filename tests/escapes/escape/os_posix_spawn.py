# os.posix_spawn.
# breach: marker
import os
os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", f"echo > {MARKER_FILE}"], {}), 0)

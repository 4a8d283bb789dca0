# os.register_at_fork leaves a function for the host's next fork.
# breach: marker
import os
def forked(path=MARKER_FILE, open=open):
    open(path, "w").close()
os.register_at_fork(before=forked)
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)

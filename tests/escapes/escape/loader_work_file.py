# A loader of the standard library executes a file of the work directory.
# breach: secret
# state: kept
import json
with open("prepared.py", "w") as file:
    _ = file.write("import posix\nread = posix.pread")
type(json.__loader__)("prepared", "prepared.py").load_module().read(SECRET_FD, 100, 0)

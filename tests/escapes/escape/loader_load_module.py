# The loader of a module of the standard library, made for a file outside.
# breach: secret
import json
loader = type(json.__loader__)("outside", OUTSIDE + "/outside.py")
if hasattr(loader, "load_module"):  # up to 3.14
    module = loader.load_module()
else:
    module = type(json)("outside")
    loader.exec_module(module)
module.value

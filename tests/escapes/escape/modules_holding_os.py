# Any loaded module that has os or posix as an attribute, under whatever name.
# breach: secret
import sys, random, inspect, doctest, unittest, asyncio, zoneinfo, uuid, contextlib, typing
found = []
for module in list(sys.modules.values()):
    for thing in list(getattr(module, "__dict__", {}).values()):
        if type(thing) is type(sys) and hasattr(thing, "pread"):
            found.append(thing.pread(SECRET_FD, 100, 0))
set(found)

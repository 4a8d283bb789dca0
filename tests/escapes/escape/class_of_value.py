# The value's __class__ makes a file when the host asks for it.
# breach: marker
import json
class Value(dict):
    @property
    def __class__(self):
        open(MARKER_FILE, "w").close()
        return dict
isinstance(Value(), int)
Value()

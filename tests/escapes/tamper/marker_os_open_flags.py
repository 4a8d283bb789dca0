# os.open with flags that are an int of a class of one's own.
# breach: marker
import os
class Flags(int):
    def __and__(self, other):
        return 0
    __rand__ = __and__
os.close(os.open(MARKER_FILE, Flags(os.O_CREAT | os.O_RDWR)))

# Calls of the C library that do not come back.
# limit: wall
# forms: full bash
# after: 3
import ctypes
libc = ctypes.CDLL(None)
libc.pause()

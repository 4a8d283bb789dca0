# ctypes calls pause() of the C library.
# expect: denied or error
import ctypes
ctypes.CDLL(None).pause()

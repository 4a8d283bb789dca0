# ctypes calls pause() of the C library.
# expect: denied or error
# state: kept
# when: run
import ctypes
ctypes.CDLL(None).pause()

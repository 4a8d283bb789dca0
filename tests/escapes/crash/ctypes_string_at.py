# ctypes reads memory that is not there.
# expect: denied or error
# state: kept
# when: run
import ctypes
ctypes.string_at(8)

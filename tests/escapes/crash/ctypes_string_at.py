# ctypes reads memory that is not there.
# expect: denied or error
import ctypes
ctypes.string_at(8)

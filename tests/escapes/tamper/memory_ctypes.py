# ctypes.memmove in the host's memory and out of it.
# breach: secret
# state: kept
import ctypes
copy = ctypes.create_string_buffer(61)
ctypes.memmove(copy, SECRET_ADDRESS, 60)
ctypes.memmove(SECRET_ADDRESS, copy, 60)
copy.value

# ctypes reads the host's memory.
# breach: secret
import ctypes
ctypes.string_at(SECRET_ADDRESS, 60)

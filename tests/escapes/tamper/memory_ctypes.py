# ctypes.memmove into the host's memory.
# breach: setting
import ctypes
ctypes.memmove(SECRET_ADDRESS, b"escaped", 7)

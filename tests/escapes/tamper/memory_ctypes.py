# ctypes.memmove into the host's memory.
# breach: setting
# state: kept
import ctypes
ctypes.memmove(SECRET_ADDRESS, b"escaped", 7)

# ctypes calls the C library's system.
# breach: marker
import ctypes
ctypes.CDLL(None).system(f"echo > {MARKER_FILE}".encode())

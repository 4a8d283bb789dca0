# A ctypes array at an address.
# breach: secret
import ctypes
(ctypes.c_char * 60).from_address(SECRET_ADDRESS).raw

# process_vm_readv by ctypes.
# breach: secret
import ctypes, os
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
buffer = ctypes.create_string_buffer(60)
mine, theirs = Part(ctypes.addressof(buffer), 60), Part(SECRET_ADDRESS, 60)
ctypes.CDLL(None).process_vm_readv(os.getpid(), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
buffer.value

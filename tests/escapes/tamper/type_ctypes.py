# ctypes takes the dictionary out of a proxy.
# breach: neighbour
import ctypes
address = id(dict.__dict__)
proxy = dict.__dict__
names = ctypes.py_object.from_address(id(proxy) + 2 * ctypes.sizeof(ctypes.c_void_p)).value
names["escaped"] = 1
ctypes.pythonapi.PyType_Modified(ctypes.py_object(dict))

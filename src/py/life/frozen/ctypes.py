"""What packages in Python ask of ctypes: the sizes of C's types. No memory is reached.

Takes the place of ctypes, which no session has, for packages that were allowed by name (sympy).
"""
import struct


class _Type:
    def __init__(self, name, code):
        self.__name__ = name
        self._code = code


c_short, c_int, c_long = _Type("c_short", "h"), _Type("c_int", "i"), _Type("c_long", "l")
c_longlong, c_float, c_double = _Type("c_longlong", "q"), _Type("c_float", "f"), _Type("c_double", "d")
c_void_p, c_size_t, c_ssize_t = _Type("c_void_p", "P"), _Type("c_size_t", "N"), _Type("c_ssize_t", "n")


def sizeof(type_):
    return struct.calcsize(type_._code)

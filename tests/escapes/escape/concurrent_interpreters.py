# An interpreter of its own, made by the module that is new.
# breach: secret
# only: 3.14+
from concurrent import interpreters
interpreters.create().call(eval, f"__import__('os').pread({SECRET_FD}, 100, 0)", {})

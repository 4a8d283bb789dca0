# unittest discovers tests in a folder outside.
# breach: secret
# state: kept
import sys, unittest
unittest.TestLoader().discover(OUTSIDE, pattern="outside.py")
sys.modules["outside"].value

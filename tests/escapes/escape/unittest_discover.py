# unittest discovers tests in a folder outside.
# breach: secret
import sys, unittest
unittest.TestLoader().discover(OUTSIDE, pattern="outside.py")
sys.modules["outside"].value

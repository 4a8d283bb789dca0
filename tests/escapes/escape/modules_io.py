# sys.modules["_io"].open instead of the builtin.
# breach: secret
import sys
sys.modules["_io"].open(SECRET_FILE).read()

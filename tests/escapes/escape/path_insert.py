# A folder outside in sys.path.
# breach: secret
import sys
sys.path.insert(0, OUTSIDE)
import outside
outside.value

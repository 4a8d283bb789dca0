# sys.argv.
# breach: secret
import sys
sys.argv

# sys.argv.
# breach: secret
# state: kept
import sys
sys.argv

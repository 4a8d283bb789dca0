# sys.orig_argv.
# breach: secret
# state: kept
import sys
sys.orig_argv

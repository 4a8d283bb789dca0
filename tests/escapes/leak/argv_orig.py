# sys.orig_argv.
# breach: secret
import sys
sys.orig_argv

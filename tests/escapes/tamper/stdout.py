# sys.stdout of the host.
# breach: setting
import sys
sys.stdout = sys.__stdout__ = None

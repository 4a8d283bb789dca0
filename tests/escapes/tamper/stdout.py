# sys.stdout of the host.
# breach: setting
# state: kept
import sys
sys.stdout = sys.__stdout__ = None

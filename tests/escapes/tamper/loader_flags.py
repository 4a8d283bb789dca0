# sys.setdlopenflags.
# breach: setting
# state: kept
import sys
sys.setdlopenflags(257)

# sys.setdlopenflags.
# breach: setting
import sys
sys.setdlopenflags(257)

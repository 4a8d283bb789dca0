# sys.excepthook.
# breach: setting
import sys
sys.excepthook = print

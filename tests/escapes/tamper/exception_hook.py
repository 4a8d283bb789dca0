# sys.excepthook.
# breach: setting
# state: kept
import sys
sys.excepthook = print

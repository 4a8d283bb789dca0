# sys.unraisablehook.
# breach: setting
# state: kept
import sys
sys.unraisablehook = print

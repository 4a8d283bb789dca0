# sys.unraisablehook.
# breach: setting
import sys
sys.unraisablehook = print

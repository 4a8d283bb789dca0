# _locale.setlocale.
# breach: setting
# state: kept
import sys, calendar
sys.modules["_locale"].setlocale(0, "C.UTF-8")
sys.modules["_locale"].setlocale(4, "C")

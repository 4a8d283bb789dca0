# _locale.setlocale.
# breach: setting
import sys, calendar
module = sys.modules["_locale"]
module.setlocale(module.LC_ALL, "C.UTF-8")

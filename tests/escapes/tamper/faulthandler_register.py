# faulthandler.register takes a signal.
# breach: setting
# state: kept
import faulthandler
faulthandler.register(12, open("faults.txt", "w"))

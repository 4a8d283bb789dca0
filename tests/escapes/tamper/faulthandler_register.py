# faulthandler.register takes a signal.
# breach: setting
import faulthandler
faulthandler.register(12, open("faults.txt", "w"))

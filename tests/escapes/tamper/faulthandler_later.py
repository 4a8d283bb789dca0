# faulthandler.dump_traceback_later starts a thread that may end the host.
# breach: setting
import faulthandler
faulthandler.dump_traceback_later(600, exit=True, file=open("faults.txt", "w"))

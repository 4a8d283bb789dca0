# Names that may have the host's process id: the work directory's, and the one that /proc/self leads to.
# breach: setting pid
import os
print(os.getcwd().split("-"))
os.path.realpath("/proc/self").split("/")

# The set-user-id bit of a file that is made through a module's private name of os.
# breach: marker
import random
os = random._os
descriptor = os.open("program", flags=os.O_CREAT | os.O_RDWR, mode=0o4711)
os.close(descriptor)

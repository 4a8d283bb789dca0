# A value that is saved as a call that sets the umask.
# breach: setting
# when: save
import os
class Changes:
    def __reduce__(self):
        return os.umask, (0o77,)
changes = Changes()

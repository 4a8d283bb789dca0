# A thread changes the current folder and the umask.
# breach: setting
# threads: 1
import os, threading
def change():
    for call in (lambda: os.chdir('/'), lambda: os.umask(0)):
        try:
            call()
        except (OSError, AttributeError):
            pass
t = threading.Thread(target=change)
t.start()
t.join()

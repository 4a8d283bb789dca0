# A thread opens a file outside.
# breach: secret
# threads: 1
import os, threading
seen = []
def read():
    for name in ('open', 'os'):
        try:
            if name == 'open':
                seen.append(open(SECRET_FILE).read())
            else:
                seen.append(os.read(os.open(SECRET_FILE, os.O_RDONLY), 100))
        except OSError:
            pass
t = threading.Thread(target=read)
t.start()
t.join()
seen

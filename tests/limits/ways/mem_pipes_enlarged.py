# Makes pipes a MiB large each, and fills them.
# limit: memory
# forms: full bash
import os, fcntl, time
keep = []
try:
    while len(keep) < 800:
        r, w = os.pipe()
        os.set_blocking(w, False)
        fcntl.fcntl(w, 1031, 1 << 20)
        try:
            while os.write(w, bytes(1 << 20)):
                pass
        except BlockingIOError:
            pass
        keep.append((r, w))
except OSError as error:
    print(error)
print(len(keep))
time.sleep(0.5)

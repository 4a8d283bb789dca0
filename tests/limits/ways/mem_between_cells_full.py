# A thread that waits for the end of the cell and takes memory then.
# limit: memory
# options: --threads 4
# after: 3
import threading, time
def body():
    time.sleep(0.6)
    global keep
    keep = []
    while True:
        try:
            keep.append(b"x" * (1 << 20))
        except MemoryError:
            time.sleep(0.1)
threading.Thread(target=body, daemon=True).start()
# %% wait 2

# Threads take memory without end, catch the error and go on.
# expect: memory
# state: any
# threads: 3
import threading
held = []
def hold():
    while True:
        try:
            while True:
                held.append(bytearray(10**5))
        except MemoryError:
            pass
for _ in range(3):
    threading.Thread(target=hold).start()
hold()

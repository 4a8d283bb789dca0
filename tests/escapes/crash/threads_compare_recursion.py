# Compares lists that contain themselves, on three threads at a time.
# expect: ok or recursion or error
# threads: 3
import threading
def compare():
    a, b = [], []
    a.append(b)
    b.append(a)
    try:
        a == b
    except RecursionError:
        pass
threads = [threading.Thread(target=compare) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()

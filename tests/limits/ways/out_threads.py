# Prints from several threads at once.
# limit: output
# forms: local worker full bash
# options: --threads 6
import threading
def f():
    for i in range(5000):
        print("t" * 200)
threads = [threading.Thread(target=f) for _ in range(6)]
[t.start() for t in threads]
[t.join() for t in threads]

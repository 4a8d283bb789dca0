# Displays from several threads.
# limit: displays
# options: --threads 4
import threading
def f():
    for i in range(50):
        display({"text/html": "t" * 50_000}, raw=True)
threads = [threading.Thread(target=f) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]

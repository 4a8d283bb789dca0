# Starts threads.
# expect: error or denied
import queue
threads = [queue.threading.Thread(target=print) for _ in range(100)]
for thread in threads:
    thread.start()

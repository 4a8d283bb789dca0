# Starts threads.
# expect: error or denied
# state: kept
# when: run
import queue
threads = [queue.threading.Thread(target=print) for _ in range(100)]
for thread in threads:
    thread.start()

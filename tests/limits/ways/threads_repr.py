# Threads that a repr and displays start.
# limit: tasks
# options: --threads 4
import threading, time
class R:
    def __repr__(self):
        for i in range(60):
            try:
                threading.Thread(target=time.sleep, args=(1,)).start()
            except Exception:
                break
        return 'r'
display(R())
R()

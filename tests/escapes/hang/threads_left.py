# The cell's code ends; a thread of it does not.
# expect: rung 1
# threads: 1
import threading
def loop():
    while True:
        pass
threading.Thread(target=loop, daemon=True).start()
# %%
import threading
threading.active_count()

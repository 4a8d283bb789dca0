# Calls from threads.
# limit: tool_calls
# options: --tool "echo=cat" --threads 4
import threading
def f():
    for i in range(30):
        try:
            echo(x=i)
        except Exception:
            pass
ts = [threading.Thread(target=f) for _ in range(4)]
[t.start() for t in ts]
[t.join() for t in ts]

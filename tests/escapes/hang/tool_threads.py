# Several threads wait for tools that are not answered, and swallow the stop.
# expect: rung 1
# threads: 3
# tools: yes
import threading
def wait():
    while True:
        try:
            never()
        except BaseException:
            pass
for _ in range(3):
    threading.Thread(target=wait).start()
never()

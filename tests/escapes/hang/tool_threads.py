# Several threads wait for tools that are not answered, and swallow the stop.
# expect: rung 1
# state: kept
# threads: 3
# tools: yes
# when: run
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

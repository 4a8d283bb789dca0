# Starts threads without end and joins none.
# expect: error
# state: kept
# threads: 4
# when: run
import threading
end = threading.Event()
try:
    while True:
        threading.Thread(target=end.wait).start()
finally:
    end.set()

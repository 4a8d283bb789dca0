# Starts threads without end and joins none.
# expect: error
# threads: 4
import threading
end = threading.Event()
try:
    while True:
        threading.Thread(target=end.wait).start()
finally:
    end.set()

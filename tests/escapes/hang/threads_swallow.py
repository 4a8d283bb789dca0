# A thread catches everything, and starts another one with its last breath.
# expect: rung 2
# threads: 2
import threading
def again():
    try:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
    finally:
        threading.Thread(target=again).start()
again()

# A thread ends the process.
# expect: crash or denied or error or ok
# state: any
# threads: 1
import random, threading
threading.Thread(target=random._os._exit, args=(3,)).start()

# Forks the process.
# expect: crash or denied or error
# state: any
import random
if random._os.fork() == 0:
    random._os._exit(0)

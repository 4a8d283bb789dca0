# Kills the process by its own number.
# expect: crash or denied or error
# state: any
import random
random._os.kill(random._os.getpid(), 9)

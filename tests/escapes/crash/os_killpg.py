# Ends the group of the process.
# expect: crash or denied or error
# state: any
import random
random._os.killpg(0, 15)

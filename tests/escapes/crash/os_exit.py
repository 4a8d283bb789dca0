# random._os._exit ends the process.
# expect: crash or denied or error
# state: any
import random
random._os._exit(3)

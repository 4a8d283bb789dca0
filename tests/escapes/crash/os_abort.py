# random._os.abort ends the process by SIGABRT.
# expect: crash or denied or error
# state: any
import random
random._os.abort()

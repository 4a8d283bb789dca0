# Replaces the process by another program.
# expect: crash or denied or error
# state: any
import random
random._os.execv("/bin/true", ["true"])

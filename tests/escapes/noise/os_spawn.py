# Starts another program.
# expect: crash or denied or error
# state: any
import random
random._os.posix_spawn("/bin/true", ["true"], {})

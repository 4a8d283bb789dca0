# Reads from a pipe of its own, through the os that random carries.
# expect: rung 1 or denied or error
# expect short: rung 4 or denied or error
# state short: any
import random
r, w = random._os.pipe()
random._os.read(r, 1)

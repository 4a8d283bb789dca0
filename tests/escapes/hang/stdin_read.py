# Reads standard input that nobody writes, through the descriptor.
# expect: rung 1 or denied or error
import random
r, w = random._os.pipe()
open(r).read()

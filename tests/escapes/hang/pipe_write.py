# Writes to a pipe of its own until it is full.
# expect: rung 1 or denied or error
# expect short: rung 4 or denied or error
# state short: any
import random
r, w = random._os.pipe()
while True:
    random._os.write(w, b"x" * 65536)

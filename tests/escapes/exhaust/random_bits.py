# A random integer of ten thousand million bits.
# expect: memory or error
# state: kept
# when: run
import random
random.getrandbits(2 * 10**9)

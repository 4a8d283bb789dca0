# A random integer of ten thousand million bits.
# expect: memory or error
import random
random.getrandbits(2 * 10**9)

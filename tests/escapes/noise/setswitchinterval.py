# Sets the interval at which threads take turns: one for the whole process on 3.11.
# expect: ok or denied or error
import sys
sys.setswitchinterval(1000.0)
sum(n * n for n in range(300_000))

# sys.setrecursionlimit.
# breach: setting
import sys
sys.setrecursionlimit(10**6)

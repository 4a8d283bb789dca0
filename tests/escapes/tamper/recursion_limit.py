# sys.setrecursionlimit.
# breach: setting
# state: kept
import sys
sys.setrecursionlimit(10**6)

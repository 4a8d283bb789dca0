# Reads input that nobody gives.
# expect: error
import sys
try:
    sys.stdin.read()
except EOFError:
    pass
input()

# Reads input that nobody gives.
# expect: error
# state: kept
# when: run
import sys
try:
    sys.stdin.read()
except EOFError:
    pass
input()

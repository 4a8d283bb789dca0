# Waits for a line that nobody gives.
# expect: rung 1
# state: kept
# tools: yes
# when: run
import sys
while True:
    try:
        input("?")
    except BaseException:
        sys.stdin.readline()

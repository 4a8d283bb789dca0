# Waits for lines that nobody gives, beyond the time that a cell has for them.
# expect: rung 1
# state: kept
# tools: yes
# when: run
import sys
while True:
    try:
        input("?")
    except BaseException:
        try:
            sys.stdin.readline()
        except BaseException:
            pass

# Waits for lines that nobody gives, beyond the time that a cell has for them.
# expect: rung 1
# tools: yes
import sys
while True:
    try:
        input("?")
    except BaseException:
        try:
            sys.stdin.readline()
        except BaseException:
            pass

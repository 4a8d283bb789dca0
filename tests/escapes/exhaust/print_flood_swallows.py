# Prints for ever, a character at a time, on both streams, and swallows.
# expect: rung 1
import sys
while True:
    try:
        while True:
            print("x", end="")
            print("y", end="", file=sys.stderr)
    except BaseException:
        pass

# Puts streams of its own in their place and writes to those that were there.
# limit: output
# forms: local worker full bash
import sys, io
first = sys.stdout
sys.stdout = io.StringIO()
for i in range(3000):
    first.write("r" * 1000)
    print("x" * 1000)
sys.stdout = first

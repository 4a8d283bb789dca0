# A StringIO is written to for ever.
# expect: memory
# state: kept
# when: run
import io
out = io.StringIO()
while True:
    out.write("spam and eggs " * 10000)

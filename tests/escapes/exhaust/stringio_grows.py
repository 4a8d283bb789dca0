# A StringIO is written to for ever.
# expect: memory
import io
out = io.StringIO()
while True:
    out.write("spam and eggs " * 10000)

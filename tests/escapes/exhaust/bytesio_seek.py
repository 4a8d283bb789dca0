# A BytesIO is written to at a position of a hundred thousand million.
# expect: memory
import io
out = io.BytesIO()
out.seek(10**11)
out.write(b"x")

# A bytearray is resized by a slice assignment of itself.
# expect: memory
data = bytearray(b"spam")
while True:
    data[1:1] = data

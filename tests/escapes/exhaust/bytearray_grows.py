# A bytearray grows by a million bytes a turn.
# expect: memory
data = bytearray()
while True:
    data += bytes(10**6)

# A bytearray grows by a million bytes a turn.
# expect: memory
# state: kept
# when: run
data = bytearray()
while True:
    data += bytes(10**6)

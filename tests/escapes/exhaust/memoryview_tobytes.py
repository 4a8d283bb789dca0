# A memory view of a megabyte is copied again and again, each copy kept.
# expect: memory
# state: kept
# when: run
view = memoryview(bytes(10**6))
copies = []
while True:
    copies.append(view[::2].tobytes())

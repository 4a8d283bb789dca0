# A memory view of a megabyte is copied again and again, each copy kept.
# expect: memory
view = memoryview(bytes(10**6))
copies = []
while True:
    copies.append(view[::2].tobytes())

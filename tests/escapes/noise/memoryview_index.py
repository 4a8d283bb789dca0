# A memory view is released in the __index__ of what is stored in it.
# expect: crash or error or ok
# state: any
class Releases:
    def __index__(self):
        global data
        view.release()
        data.clear()
        data.extend(b"x" * 100)
        return 1
for _ in range(1000):
    data = bytearray(b"y" * 10_000)
    view = memoryview(data)
    try:
        view[5000] = Releases()
    except ValueError:
        pass

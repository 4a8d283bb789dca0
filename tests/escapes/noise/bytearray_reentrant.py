# A bytearray is cleared in the __index__ of what is stored in it.
# expect: crash or error or ok
# state: any
class Clears:
    def __index__(self):
        data.clear()
        return 65
for _ in range(1000):
    data = bytearray(b"y" * 100_000)
    try:
        data[99_999] = Clears()
    except IndexError:
        pass

# A finalizer eats memory when the session is closed.
# expect: rung 1
# state: any
# when: close
class Hungry:
    def __del__(self):
        eaten = []
        while True:
            try:
                eaten.append(bytearray(10**6))
            except MemoryError:
                pass
thing = Hungry()

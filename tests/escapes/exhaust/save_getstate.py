# __getstate__ that takes memory without end.
# expect: memory or rung 1 or ok
# when: save
class Hungry:
    def __getstate__(self):
        kept = []
        while True:
            kept.append(bytearray(1 << 20))
hungry = Hungry()

# Every turn of the loop makes an object whose __del__ takes the interrupt.
# expect: rung 1
# when: finalizer
class Shield:
    def __del__(self):
        for _ in range(10000):
            pass
while True:
    Shield()

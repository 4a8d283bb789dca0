# Small values with a large state.
# expect: memory or rung 1 or ok
# when: save
class Large:
    def __getstate__(self):
        return {"a": [b"x" * (1 << 20) + bytes([i]) for i in range(200)]}
large = [Large() for i in range(6)]

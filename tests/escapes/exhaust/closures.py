# Makes closures and generators, each of which keeps the one before.
# expect: memory
kept = []
while True:
    def f(n, last=kept[-1:], text="x" * 1000):
        yield lambda: (n, last, text)
    kept.append(next(f(len(kept))))

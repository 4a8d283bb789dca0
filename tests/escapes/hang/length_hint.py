# __length_hint__ loops; list() asks it before it iterates.
# expect: rung 1
class Endless:
    def __length_hint__(self):
        while True:
            pass
    def __iter__(self):
        return self
    def __next__(self):
        raise StopIteration
list(Endless())

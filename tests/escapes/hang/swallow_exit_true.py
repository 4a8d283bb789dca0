# A context manager's __exit__ answers True to everything.
# expect: rung 1
class Swallow:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return True
while True:
    with Swallow():
        while True:
            pass

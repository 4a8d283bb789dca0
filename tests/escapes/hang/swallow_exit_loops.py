# A context manager's __exit__ is where the loop goes on.
# expect: rung 1
class Swallow:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        while True:
            with Swallow():
                while True:
                    pass
with Swallow():
    while True:
        pass

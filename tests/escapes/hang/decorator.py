# A decorator that never answers.
# expect: rung 1
# state: kept
# when: class creation
def forever(function):
    while True:
        pass

@forever
def f():
    pass

# A decorator that never answers.
# expect: rung 1
# when: class creation
def forever(function):
    while True:
        pass

@forever
def f():
    pass

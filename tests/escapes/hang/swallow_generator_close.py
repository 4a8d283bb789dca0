# A generator that does not want to be closed.
# expect: rung 1
# when: finalizer
def stubborn():
    while True:
        try:
            while True:
                yield
        except GeneratorExit:
            while True:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
g = stubborn()
next(g)
g.close()

# A generator swallows whatever is thrown into it, and its user throws for ever.
# expect: rung 1
def stubborn():
    while True:
        try:
            yield
        except BaseException:
            pass
g = stubborn()
next(g)
while True:
    try:
        while True:
            g.throw(KeyError)
    except BaseException as error:
        g.throw(error)

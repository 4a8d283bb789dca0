# Takes the type of the interrupt, derives from it, and raises its own.
# expect: rung 1
kept = []
while True:
    try:
        while True:
            pass
    except BaseException as error:
        try:
            class Mine(type(error)):
                def __new__(cls, *args):
                    return ValueError()
            raise Mine
        except BaseException as another:
            kept.append(another)

# Takes the type of the interrupt and changes how it is made.
# expect: rung 1
def harmless(*args, **kwargs):
    return StopIteration()
while True:
    try:
        while True:
            pass
    except BaseException as error:
        for name in ("__new__", "__init__", "__str__", "__repr__", "__del__", "__reduce__"):
            try:
                setattr(type(error), name, harmless)
            except BaseException:
                pass

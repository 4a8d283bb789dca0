# Answers each interrupt with an exception of its own, which an outer loop expects.
# expect: rung 1
def disguise():
    try:
        while True:
            pass
    except BaseException as error:
        raise ValueError("mine") from None
while True:
    try:
        disguise()
    except ValueError:
        pass

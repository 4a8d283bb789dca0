# Every exception is swallowed where finally leaves it.
# expect: rung 1
# only: 3.14+
def swallow():
    while True:
        try:
            while True:
                pass
        except:
            pass
swallow()

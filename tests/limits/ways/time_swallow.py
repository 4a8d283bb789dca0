# Loops in each other that swallow whatever is raised, at every level.
# limit: wall cpu
# forms: local worker full bash
def f(n):
    while True:
        try:
            if n:
                f(n - 1)
            while True:
                pass
        except BaseException:
            pass
        finally:
            try:
                for i in range(10 ** 9):
                    pass
            except BaseException:
                pass
f(20)

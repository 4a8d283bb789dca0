# Exceptions that cause each other, thousands deep.
# limit: answer
# forms: local worker full bash
def f(n):
    try:
        if n:
            f(n - 1)
        else:
            raise ValueError("x" * 1000)
    except Exception:
        raise KeyError("k" * 10_000)
f(300)

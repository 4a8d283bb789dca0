# Prints tracebacks, thousands of them.
# limit: output
# forms: local worker full bash
import traceback
def f(n):
    if n:
        f(n - 1)
    raise ValueError("t" * 1000)
for i in range(500):
    try:
        f(30)
    except ValueError:
        traceback.print_exc()

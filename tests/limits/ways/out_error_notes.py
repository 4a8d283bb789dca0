# Notes by the thousand.
# limit: answer
# forms: local worker full bash
e = ValueError("x")
e.__notes__ = ["n" * 10_000] * 3000
raise e

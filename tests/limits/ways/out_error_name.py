# An exception whose class has a long name.
# limit: answer
# forms: local worker full bash
raise type("E" * 5_000_000, (Exception,), {"__module__": "m" * 5_000_000})("x")

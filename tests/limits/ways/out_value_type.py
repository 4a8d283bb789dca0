# A value whose class has a long name, and a module too.
# limit: value answer
# forms: local worker full
C = type("C" * 5_000_000, (), {"__module__": "m" * 5_000_000})
C()

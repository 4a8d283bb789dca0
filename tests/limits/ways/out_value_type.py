# A value whose class has a long name, and a module too.
# limit: value answer
C = type("C" * 5_000_000, (), {"__module__": "m" * 5_000_000})
C()

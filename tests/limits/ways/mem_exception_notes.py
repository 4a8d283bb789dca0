# Raises with notes, causes and a message of tens of MiB.
# limit: memory answer
# forms: local worker full bash
try:
    try:
        raise ValueError("m" * (20 << 20))
    except ValueError as cause:
        new = KeyError("k" * (10 << 20))
        if hasattr(new, "add_note"):
            for i in range(100):
                new.add_note("n" * (100_000))
        raise new from cause
except KeyError as error:
    error.args = ("z" * (30 << 20),)
    raise

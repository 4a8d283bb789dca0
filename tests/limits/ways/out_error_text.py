# An exception with a long text.
# limit: answer
# forms: local worker full bash
raise ValueError("\x01" * 9_000_000)

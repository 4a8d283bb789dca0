# A value with a long text.
# limit: value
# forms: local worker full
# quick:
"v" * 10_000_000

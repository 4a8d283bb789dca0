# A value with a long text.
# limit: value
# quick:
"v" * 10_000_000

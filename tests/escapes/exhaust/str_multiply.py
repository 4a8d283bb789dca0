# A text of ten thousand million characters at once.
# expect: memory
# state: kept
# when: run
"x" * 10**10

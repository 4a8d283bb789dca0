# A text of ten thousand million characters at once.
# expect: memory
"x" * 10**10

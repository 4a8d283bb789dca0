# Prints and shows lone surrogates, NULs and terminal sequences.
# expect: ok or error
# when: repr
text = "\ud800\udfff\x00\x1b[2J\r\n" * 100
print(text)
text

# Looks for two gigabytes in two gigabytes: as large as the machine allows.
# expect: memory or rung 3 memchr and the search of bytes: stringlib_find
# state: any
b"x" * (1 << 31) in b"y" * (1 << 31)

# Squares a number again and again.
# expect: rung 1 or memory
x = 3
while True:
    x *= x

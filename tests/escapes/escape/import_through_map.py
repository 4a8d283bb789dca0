# map calls __import__: no frame of the cell's is the caller.
# breach: secret
list(map(__import__, ["subprocess"]))[0].os.pread(SECRET_FD, 100, 0)

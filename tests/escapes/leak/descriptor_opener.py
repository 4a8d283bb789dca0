# The opener of open answers a descriptor of the host.
# breach: secret
file = open("x.txt", opener=lambda path, flags: SECRET_FD)
file.read()

# io.FileIO takes a number.
# breach: secret
import io
io.FileIO(SECRET_FD, closefd=False).readall()

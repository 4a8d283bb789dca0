# io.FileIO takes a number.
# breach: secret
# state: kept
import io
io.FileIO(SECRET_FD, closefd=False).readall()

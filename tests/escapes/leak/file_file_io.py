# io.FileIO.
# breach: secret
import io
io.FileIO(SECRET_FILE).readall()

# io.FileIO.
# breach: secret
# state: kept
import io
io.FileIO(SECRET_FILE).readall()

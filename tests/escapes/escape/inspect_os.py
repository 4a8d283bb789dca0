# inspect.os reads the file.
# breach: secret
# state: kept
import inspect
inspect.os.read(inspect.os.open(SECRET_FILE, 0), 100)

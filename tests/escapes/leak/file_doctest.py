# doctest loads a file of tests.
# breach: secret
import doctest
doctest._load_testfile(SECRET_FILE, None, False, "utf-8")

# doctest loads a file of tests.
# breach: secret
# state: kept
import doctest
doctest._load_testfile(SECRET_FILE, None, False, "utf-8")

# configparser complains of the file's first line.
# breach: secret
# state: kept
import configparser
configparser.ConfigParser().read(SECRET_FILE)

# configparser complains of the file's first line.
# breach: secret
import configparser
configparser.ConfigParser().read(SECRET_FILE)

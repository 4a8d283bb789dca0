# codecs.open.
# breach: secret
# state: kept
import codecs
codecs.open(SECRET_FILE).read()

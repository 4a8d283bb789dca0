# codecs.open.
# breach: secret
import codecs
codecs.open(SECRET_FILE).read()

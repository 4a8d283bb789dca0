# codecs.register: a codec for everybody.
# breach: setting
# state: kept
import codecs
codecs.register(lambda name: codecs.lookup("utf-8") if name == "escaped" else None)

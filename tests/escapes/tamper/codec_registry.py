# codecs.register: a codec for everybody.
# breach: setting
import codecs
codecs.register(lambda name: codecs.lookup("utf-8") if name == "escaped" else None)

# codecs.register_error takes the place of strict.
# breach: setting
import codecs
codecs.register_error("strict", codecs.replace_errors)

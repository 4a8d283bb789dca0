# calendar's context for a locale, which is not left.
# breach: setting
import calendar
manager = calendar.different_locale("C.UTF-8")
manager.__enter__()

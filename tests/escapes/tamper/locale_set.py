# locale.setlocale.
# breach: setting
import calendar
locale = calendar.locale if hasattr(calendar, "locale") else calendar._locale
locale.setlocale(locale.LC_ALL, "C.UTF-8")

# Sets the locale through the module that calendar uses.
# expect: ok or denied or error
import calendar, sys
with calendar.different_locale("de_DE.UTF-8"):
    names = list(calendar.day_name)

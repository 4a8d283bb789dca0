# A traceback through code that claims to come from the file shows its line.
# breach: secret
exec(compile("1 / 0", SECRET_FILE, "exec"))

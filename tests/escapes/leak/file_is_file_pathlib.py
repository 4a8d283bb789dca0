# Path.is_file, which swallows what stat raises.
# breach: setting existence
import pathlib
pathlib.Path(SECRET_FILE).is_file(), pathlib.Path(SECRET_FILE + "x").is_file()

# Path.info, which swallows what stat raises.
# breach: setting existence
# only: 3.14+
from pathlib import Path
Path(SECRET_FILE).info.exists(), Path(SECRET_FILE + "x").info.exists()

# pathlib's iterdir and rglob.
# breach: secret
# state: kept
import pathlib
[str(path) for path in pathlib.Path(OUTSIDE).iterdir()]

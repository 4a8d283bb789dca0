# pathlib's iterdir and rglob.
# breach: secret
import pathlib
[str(path) for path in pathlib.Path(OUTSIDE).iterdir()]

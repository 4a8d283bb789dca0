# sys.meta_path gets another finder.
# breach: setting
import sys
sys.meta_path.append(type("Finder", (), {"find_spec": lambda *arguments: None})())

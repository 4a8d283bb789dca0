# sys.meta_path gets another finder.
# breach: setting
# state: kept
import sys
sys.meta_path.append(type("Finder", (), {"find_spec": lambda *arguments: None})())

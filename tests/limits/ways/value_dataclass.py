# Data classes with long fields, in each other.
# limit: value
import dataclasses
A = dataclasses.make_dataclass("A", [f"field_{i}" for i in range(150)])
A(*[A(*["x" * 500] * 150)] * 150)

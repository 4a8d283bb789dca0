# A forward reference that is evaluated for ever.
# expect: rung 1
# only: 3.14+
import annotationlib
annotationlib.ForwardRef("[x for x in iter(int, 1)]").evaluate(globals={})

# ast.literal_eval of a deep expression.
# expect: error or memory or recursion
# when: compile
import ast
ast.literal_eval("[" * 5000 + "]" * 5000)

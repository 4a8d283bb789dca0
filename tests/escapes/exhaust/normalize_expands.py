# Normalises a text each of whose characters becomes eighteen.
# expect: memory or rung 2
import unicodedata
unicodedata.normalize("NFKD", "\ufdfa" * 10_000_000)

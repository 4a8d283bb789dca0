# An XML tree written outside.
# breach: marker
# state: kept
import xml.etree.ElementTree as tree
tree.ElementTree(tree.Element("a")).write(MARKER_FILE)

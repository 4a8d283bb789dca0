# An XML tree written outside.
# breach: marker
import xml.etree.ElementTree as tree
tree.ElementTree(tree.Element("a")).write(MARKER_FILE)

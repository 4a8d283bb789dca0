"""help(object) of a session: pydoc's text, printed."""


def describe(*objects):
    if not objects:
        print("help(object) prints what is known of a function, a class, a module or a value.")
        return
    import pydoc
    for thing in objects:
        print(pydoc.plain(pydoc.render_doc(thing, "Help on %s:")))

from docopt import docopt

USAGE = """
Usage: solve [--depth=<n>] <graph>
"""


def run(data, params):
    return dict(docopt(USAGE, argv=data["arguments"]))

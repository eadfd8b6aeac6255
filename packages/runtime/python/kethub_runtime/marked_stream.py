"""Gives each line of stderr the severity WARNING, for drivers whose engine delivers both streams as one."""

MARK = "\x1e"
WARNING = "\x1eWARNING "


def marked(stream):
    """Return the stream, whose lines begin with the severity unless the writer has named one."""
    write = stream.write
    at_start = True

    def write_marked(text: str) -> int:
        nonlocal at_start
        if not text:
            return 0
        lines = text.split("\n")
        first = lines[0]
        if at_start and (first or len(lines) > 1) and not first.startswith(MARK):
            lines[0] = WARNING + first
        last = len(lines) - 1
        for index in range(1, len(lines)):
            if (index < last or lines[index]) and not lines[index].startswith(MARK):
                lines[index] = WARNING + lines[index]
        at_start = text.endswith("\n")
        write("\n".join(lines))
        return len(text)

    stream.write = write_marked
    return stream

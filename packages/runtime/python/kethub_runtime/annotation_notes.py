"""Keywords of JSON Schema in the metadata of `Annotated`, in fields of dataclasses, and in docstrings."""

import inspect
import re

LONGEST_TEXT = 2_000
BOUNDS = {
    "gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum", "multiple_of": "multipleOf",
}  # fmt: skip
LENGTHS = {"array": ("minItems", "maxItems"), "object": ("minProperties", "maxProperties")}
TEXTS = ("title", "description")
# Lines of a docstring: `Args:` of Google, `Parameters` over dashes of numpy, `:param shots: text` of reStructuredText.
SECTION = re.compile(r"(args|arguments|parameters|attributes|keyword args|keyword arguments|other parameters):?\s*$", re.IGNORECASE)
OTHER_SECTION = re.compile(r"(returns?|raises|yields?|notes?|examples?|see also|warnings?|references):?\s*$", re.IGNORECASE)
GOOGLE = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
NUMPY = re.compile(r"\*{0,2}(\w+)\s*(?::.*)?$")
FIELD = re.compile(r":(?:param|parameter|arg|argument|ivar|attribute)\s+(?:[^:\n]*\s)?\*{0,2}(\w+)\s*:\s*(.*)")


def keywords_of(metadata, kind) -> dict:
    """Return the keywords in the metadata of an Annotated type. `kind` is the type in the schema of the annotated."""
    found = {}
    for one in metadata:
        if isinstance(one, str):  # Annotated[int, "number of shots"]
            found["description"] = one[:LONGEST_TEXT]
        elif isinstance(one, dict):
            found.update(_of_mapping(one))
        elif isinstance(getattr(one, "documentation", None), str):  # typing_extensions.Doc
            found["description"] = one.documentation[:LONGEST_TEXT]
        elif not isinstance(one, type):
            found.update(_bounds(one, kind))
    return found


def _of_mapping(notes: dict) -> dict:
    """Return the keywords in the `metadata` of a field of a dataclass, or in a dictionary of an Annotated type."""
    found = {name: notes[name][:LONGEST_TEXT] for name in TEXTS if isinstance(notes.get(name), str)}
    if isinstance(notes.get("examples"), (list, tuple)):
        found["examples"] = list(notes["examples"])
    for name in BOUNDS.values():
        if _is_number(notes.get(name)):
            found[name] = notes[name]
    return found


def notes_of_field(field) -> dict:
    """Return the keywords of a field of a dataclass."""
    return _of_mapping({key: value for key, value in field.metadata.items() if isinstance(key, str)})


def _bounds(one, kind) -> dict:
    """Return the bounds of the objects of `annotated_types`, or of any object with the same attributes."""
    found = {keyword: getattr(one, name) for name, keyword in BOUNDS.items() if _is_number(getattr(one, name, None))}
    least, most = LENGTHS.get(kind, ("minLength", "maxLength"))
    for name, keyword in (("min_length", least), ("max_length", most)):
        length = getattr(one, name, None)
        if type(length) is int and length >= 0 and kind in ("string", *LENGTHS):
            found[keyword] = length
    if isinstance(getattr(one, "pattern", None), str) and kind == "string":
        found["pattern"] = one.pattern
    return found


def _is_number(value) -> bool:
    return type(value) in (int, float) and value == value and abs(value) != float("inf")


def parameter_texts(documented) -> dict:
    """Return what the docstring of a function or class says about its parameters or attributes, by name."""
    try:
        text = inspect.getdoc(documented)
    except Exception:  # an object may answer anything for its attributes
        return {}
    return _parameter_texts(text) if isinstance(text, str) and len(text) < 50_000 else {}


def _parameter_texts(text: str) -> dict:
    found, name, indent, inside = {}, None, 0, False
    lines = text.split("\n")
    for index, line in enumerate(lines):
        words = line.strip()
        depth = len(line) - len(line.lstrip())
        field = FIELD.match(words)
        if field:
            name, indent = field[1], depth
            found[name] = [field[2]]
            continue
        if depth == 0 and (SECTION.match(words) or OTHER_SECTION.match(words)):
            inside, name = bool(SECTION.match(words)), None
            continue
        underlined = index + 1 < len(lines) and set(lines[index + 1].strip()) == {"-"}
        if not words or set(words) == {"-"} or underlined:
            name = name if words == "" and inside else None
            continue
        if name is not None and depth > indent:
            found[name].append(words)
            continue
        entry = GOOGLE.match(words) if inside and depth > 0 else NUMPY.match(words) if inside else None
        name, indent = (entry[1], depth) if entry else (None, 0)
        if entry:
            found[name] = [entry[2]] if entry.re is GOOGLE else []
    joined = {key: " ".join(part for part in parts if part).strip()[:LONGEST_TEXT] for key, parts in found.items()}
    return {key: value for key, value in joined.items() if value}


def class_text(kind: type) -> str | None:
    """Return the docstring that a class has itself, without the signature that dataclasses write there."""
    text = kind.__dict__.get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{kind.__name__}("):
        return None
    return inspect.cleandoc(text).split("\n\n")[0].replace("\n", " ")[:LONGEST_TEXT] or None

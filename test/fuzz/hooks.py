"""What the fuzzer cannot make up: archives, some of them with a project."""

import io
import zipfile

import schemathesis
from hypothesis import strategies as st


def archive(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as target:
        for name, text in files.items():
            target.writestr(name, text)
    return content.getvalue()


project = archive({"src/__init__.py": "", "src/program.py": "def run(data=None):\n    return data\n"})

schemathesis.openapi.media_type(
    "application/zip",
    st.one_of(
        st.sampled_from([project, archive({}), archive({"../outside": ""}), project[:-30]]),
        st.binary(max_size=200),
    ),
)

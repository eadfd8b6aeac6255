"""Archives, some with a project, which the fuzzer cannot make up; and requests that a state does not refuse."""

import io
import itertools
import zipfile
from urllib.parse import urlencode

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

LONGEST_QUERY = 8_000


@schemathesis.hook
def filter_query(context, query):
    """Skip queries with which the head of a request has more than 16 KiB: the parser refuses these, for all operations alike."""
    return query is None or len(urlencode(query, doseq=True)) <= LONGEST_QUERY


ORGANIZATION = "X-OrganizationId"
KEY = "Idempotency-Key"
calls = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leave out most made-up organizations, each of which is 403, and make keys unique: one met again is 422."""
    headers, call = (case.headers or {}).copy(), next(calls)
    if ORGANIZATION in headers and call % 8:
        del headers[ORGANIZATION]
    if 0 < len(headers.get(KEY) or "") < 200:
        headers[KEY] += str(call)
    if headers != case.headers:
        case.headers = headers

"""Commands of client.ts, run with dulwich."""

import os
import sys

from commands import run
from dulwich import porcelain
from dulwich.client import get_transport_and_path
from dulwich.repo import Repo

PERSON = b"Ada <ada@example.org>"


def clone(url, folder, depth, filter_spec):
    porcelain.clone(
        url,
        folder,
        depth=int(depth) or None,
        filter_spec=None if filter_spec == "-" else filter_spec,
        checkout=filter_spec == "-",
        errstream=porcelain.NoneStream(),
    ).close()


def commit(folder, name, text):
    with Repo(folder) as repo:
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
        porcelain.add(repo, [os.path.join(folder, name)])
        made = porcelain.commit(repo, message=b"change", author=PERSON, committer=PERSON)
        print(made.decode())


def tag(folder, name):
    porcelain.tag_create(folder, name.encode(), author=PERSON, message=b"tag", annotated=True)


def push(folder, url, source, target, force):
    porcelain.push(
        folder,
        url,
        [f"{source}:{target}".encode()],
        force=force == "1",
        outstream=sys.stderr.buffer,
        errstream=sys.stderr.buffer,
    )


def fetch(folder, url, ref):
    with Repo(folder) as repo:
        client, path = get_transport_and_path(url)
        found = client.fetch(path, repo, determine_wants=lambda refs, depth=None: [refs[ref.encode()]])
        print(found.refs[ref.encode()].decode())


def list_refs(url):
    client, path = get_transport_and_path(url)
    for ref, commit_id in client.get_refs(path).refs.items():
        print(commit_id.decode(), ref.decode())


def head(folder):
    with Repo(folder) as repo:
        print(repo.head().decode())


def count(folder):
    with Repo(folder) as repo:
        print(sum(1 for _ in repo.get_walker()))


run(clone=clone, commit=commit, tag=tag, push=push, fetch=fetch, list=list_refs, head=head, count=count)

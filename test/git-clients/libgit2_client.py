"""Commands of client.ts, run with pygit2, which is libgit2."""

import os
import tempfile

import pygit2
from commands import run

PERSON = pygit2.Signature("Ada", "ada@example.org")


class Callbacks(pygit2.RemoteCallbacks):
    def push_update_reference(self, refname, message):
        if message is not None:
            raise RuntimeError(f"{refname}: {message}")


def clone(url, folder, depth, filter_spec):
    pygit2.clone_repository(url, folder, depth=int(depth))


def commit(folder, name, text):
    repository = pygit2.Repository(folder)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
    repository.index.add(name)
    repository.index.write()
    tree = repository.index.write_tree()
    print(repository.create_commit("HEAD", PERSON, PERSON, "change", tree, [repository.head.target]))


def tag(folder, name):
    repository = pygit2.Repository(folder)
    target = repository.head.target
    repository.create_tag(name, target, pygit2.enums.ObjectType.COMMIT, PERSON, "tag")


def push(folder, url, source, target, force):
    sign = "+" if force == "1" else ""
    pygit2.Repository(folder).remotes.create_anonymous(url).push([f"{sign}{source}:{target}"], Callbacks())


def fetch(folder, url, ref):
    repository = pygit2.Repository(folder)
    repository.remotes.create_anonymous(url).fetch([f"{ref}:refs/fetched"])
    print(repository.references["refs/fetched"].target)


def list_refs(url):
    with tempfile.TemporaryDirectory() as folder:
        remote = pygit2.init_repository(folder, bare=True).remotes.create_anonymous(url)
        for found in remote.list_heads():
            print(found.oid, found.name)


def head(folder):
    print(pygit2.Repository(folder).head.target)


def count(folder):
    repository = pygit2.Repository(folder)
    print(sum(1 for _ in repository.walk(repository.head.target)))


run(clone=clone, commit=commit, tag=tag, push=push, fetch=fetch, list=list_refs, head=head, count=count)

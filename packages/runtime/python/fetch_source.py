"""Download the source code of a package, and run nothing of it: python3 -I -S -B /runner/fetch_source.py <folder of pip> <demand> <target>

pip itself would run the code of a source package to learn its name. This program finds the best file for the demand with pip's
own finder and settings. It writes {"name", "version", "file", "sha256", "requires"} to stdout; `requires` is the list of build
requirements in pyproject.toml, or null.
"""

import hashlib
import json
import os
import sys
import tarfile
import zipfile

MOST_BYTES = 512 * 1024 * 1024
MOST_PROJECT_BYTES = 256 * 1024


def best_of(demand: str):
    from pip._internal.commands import create_command
    from pip._vendor.packaging.requirements import Requirement

    wanted = Requirement(demand)
    command = create_command("download")
    options, _ = command.parse_args(["--no-binary", ":all:", "--no-deps", demand])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options=options, session=session)
        found = finder.find_best_candidate(wanted.name, specifier=wanted.specifier)
        return found.best_candidate, session


def download(link, session, target: str) -> str:
    file = os.path.join(target, os.path.basename(link.filename))
    digest = hashlib.sha256()
    response = session.get(link.url_without_fragment, headers={"Accept-Encoding": "identity"}, stream=True)
    response.raise_for_status()
    with open(file, "xb") as out:
        for chunk in response.iter_content(64 * 1024):
            digest.update(chunk)
            if out.write(chunk) and out.tell() > MOST_BYTES:
                sys.exit(f"{link.filename} has more than {MOST_BYTES} bytes.")
    if link.hash_name == "sha256" and link.hash != digest.hexdigest():
        sys.exit(f"{link.filename} has another SHA-256 than the package index says.")
    return digest.hexdigest()


def requires_of(file: str):
    """Return the build requirements in <name>-<version>/pyproject.toml of a source archive, or None."""
    text = None
    if file.endswith(".zip"):
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if is_project(info.filename) and info.file_size <= MOST_PROJECT_BYTES:
                    text = archive.read(info)
    else:
        with tarfile.open(file) as archive:
            for member in archive:
                if member.isfile() and is_project(member.name) and member.size <= MOST_PROJECT_BYTES:
                    text = archive.extractfile(member).read()
                    break
    if text is None:
        return None
    try:
        import tomllib
    except ImportError:
        from pip._vendor import tomli as tomllib
    requires = tomllib.loads(text.decode("utf-8", "replace")).get("build-system", {}).get("requires")
    return [str(one) for one in requires] if isinstance(requires, list) else None


def is_project(name: str) -> bool:
    parts = name.removeprefix("./").split("/")
    return len(parts) == 2 and parts[1] == "pyproject.toml"


def main(pip: str, demand: str, target: str) -> None:
    sys.path.insert(0, os.path.dirname(pip))
    best, session = best_of(demand)
    if best is None:
        sys.exit(f"The package index has no source code for {demand}.")
    digest = download(best.link, session, target)
    file = os.path.join(target, os.path.basename(best.link.filename))
    print(json.dumps({"name": best.name, "version": str(best.version), "file": os.path.basename(file), "sha256": digest, "requires": requires_of(file)}))


if __name__ == "__main__":
    main(*sys.argv[1:])

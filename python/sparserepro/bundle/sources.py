"""The sources of a bundle: what git has of the commit, and the file that names it to the build."""

import io
import subprocess
import tarfile
from pathlib import Path

from sparserepro.bundle.errors import BundleError
from sparserepro.offline.packing import Member, in_order, sha256_of

BUILT = ("include", "kernels", "drivers", "cmake", "CMakeLists.txt")
"""What records call the tree: write_revision.cmake compares the same."""


def git(root: Path, *arguments: str) -> bytes:
    """Raises BundleError with what git says."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise BundleError(f"git: {error.strerror}; the records must name a commit") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise BundleError(f"git {arguments[0]}: {said or done.returncode}")
    return done.stdout


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").decode().strip()


def check_clean(root: Path) -> None:
    """Raises BundleError for changes that the commit lacks: files that git knows, anywhere, and new
    ones where the build takes them."""
    known = git(root, "status", "--porcelain", "--untracked-files=no")
    new = git(root, "status", "--porcelain", "--untracked-files=all", "--", *BUILT)
    changed = dict.fromkeys((known + new).decode().splitlines())
    if changed:
        lines = "\n".join(f"  {line}" for line in [*changed][:10])
        raise BundleError(
            "the tree has changes that are not committed, and records must name the commit that "
            f"they were measured at; commit or stash them:\n{lines}"
        )


def check_built(root: Path, build: Path) -> None:
    """Raises BundleError when the drivers of a build tree are of other sources than the commit."""
    path = build / "generated/revision.hpp"
    if not path.exists():
        return
    words = path.read_text().split()
    commit = words[words.index("SPARSEREPRO_COMMIT") + 1].strip('"')
    dirty = words[words.index("SPARSEREPRO_DIRTY") + 1] == "true"
    listed = ["git", "-C", str(root), "diff", "--quiet", commit, "HEAD", "--", *BUILT]
    if dirty or subprocess.run(listed, capture_output=True, check=False).returncode != 0:
        raise BundleError(
            f"the drivers in {build}, which list the algorithms, were built from other "
            "sources than the commit; build them again, or name another build tree with --build"
        )


def members(root: Path, commit: str) -> list[Member]:
    """The tree of the commit, and the file COMMIT in it."""
    packed = io.BytesIO(git(root, "archive", "--format=tar", commit))
    found = []
    with tarfile.open(fileobj=packed) as tree:
        for info in tree:
            if info.issym():
                found.append(Member(f"sources/{info.name}", link=info.linkname))
            elif (content := tree.extractfile(info)) is not None:
                executable = bool(info.mode & 0o100)
                found.append(Member(f"sources/{info.name}", content.read(), executable))
    return [*found, Member("sources/COMMIT", commit_file(commit, found).encode())]


def commit_file(commit: str, tree: list[Member]) -> str:
    """The commit, and the hash of each file that is built, as write_revision.cmake reads them."""
    lines = [commit]
    for member in in_order(tree):
        name = member.name.removeprefix("sources/")
        if name.split("/")[0] in BUILT:
            lines.append(f"{sha256_of(member.content)}  {name}")
    return "".join(f"{line}\n" for line in lines)

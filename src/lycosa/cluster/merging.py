"""Merge the shards of a crawl into one collection."""

from __future__ import annotations

import shutil
from pathlib import Path

from lycosa.cluster.division import directories_in, division_in
from lycosa.collection import Counts
from lycosa.collection.labels import FILE as LABELS
from lycosa.collection.shards.merge import merge_shards
from lycosa.errors import CollectionError, InputError


def merge_collection(directory: Path, out: Path | None = None) -> Counts:
    """Bring together what the shards of a crawl have found so far: in its own folder, or as a collection elsewhere.

    A collection elsewhere is one of its own, which a crawl in one process goes on with.
    """
    if division_in(directory) is None:
        raise InputError(f"{directory} has no shards. Name the folder of a crawl that was run with --shards.")
    if out is not None and (out / "catalogue.db").exists():
        raise InputError(f"{out} is already there. Choose another folder with --out.")
    shards = directories_in(directory)
    if missing := [path for path in shards if not (path / "catalogue.db").is_file()]:
        raise CollectionError(
            f"{missing[0]} is missing, with all that this shard has found. Put it back from a copy, or wait until the "
            "shard has begun."
        )
    target = out or directory
    counts = merge_shards(shards, target)
    shutil.copytree(shards[0] / "models", target / "models", dirs_exist_ok=True)
    shutil.copyfile(shards[0] / "crawl.toml", target / "crawl.toml")
    if target != directory and (directory / LABELS).is_file():
        shutil.copyfile(directory / LABELS, target / LABELS)
    return counts

"""Fitting models in a process of their own, so that a crawl never loads scikit-learn.

    python -m lycosa.learn.training.fitting < job.msgpack

The job says what to fit from which pages and where to save it; errors come back as one line.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.errors import InputError, LycosaError, ModelError
from lycosa.evidence.text_model import TextModel
from lycosa.learn.training.example import ExamplePage
from lycosa.learn.training.text import Label
from lycosa.learn.training.topic import fit_models


class Job(msgspec.Struct, frozen=True):
    """What to fit."""

    wants: tuple[str, ...]
    pages: dict[Label, list[ExamplePage]]
    folder: str
    provenance: dict[str, str] = {}


def model_path(folder: Path, name: str) -> Path:
    """Where a fitted model is kept."""
    return folder / f"{name}.model"


def saved_models(wants: Sequence[str], folder: Path) -> dict[str, TextModel]:
    """Those of the wanted models that were fitted before."""
    return {name: TextModel.load(path) for name in wants if (path := model_path(folder, name)).exists()}


def fit_in_child(
    wants: Sequence[str],
    pages: Mapping[Label, Sequence[ExamplePage]],
    folder: Path,
    provenance: Mapping[str, str],
) -> dict[str, TextModel]:
    """Fit and save the wanted models in a child process, and load them."""
    given = {label: list(group) for label, group in pages.items()}
    job = msgspec.msgpack.encode(Job(tuple(wants), given, str(folder), dict(provenance)))
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "lycosa.learn.training.fitting"]
    child = subprocess.run(command, input=job, capture_output=True, check=False)
    if child.returncode == InputError.exit_code:
        raise InputError(child.stderr.decode("utf-8", "replace").strip())
    if child.returncode:
        last = child.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ModelError(
            f"Fitting the models failed ({''.join(last)}). If a package is missing or broken: "
            "pip install --force-reinstall lycosa"
        )
    return saved_models(wants, folder)


def main() -> int:
    """Do the job on standard input."""
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Job)
    try:
        for name, model in fit_models(job.wants, job.pages, provenance=job.provenance).items():
            model.save(model_path(Path(job.folder), name))
    except LycosaError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

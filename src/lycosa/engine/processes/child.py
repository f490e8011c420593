"""A process that works for a crawl: `work` of a module. In: the module's name, and which descriptor is the line to its parent.

python -m lycosa.engine.processes.child MODULE FD
"""

from __future__ import annotations

import gc
import importlib
import socket
import sys

YOUNG = 20_000
"""Objects that are made before Python looks for cycles among them: 700 have it look at all modules again while they are loaded."""

if __name__ == "__main__":
    gc.set_threshold(YOUNG)
    importlib.import_module(sys.argv[1]).work(socket.socket(fileno=int(sys.argv[2])))

"""The program of a child that is started anew: `python -m sonnx_verify.processes.program DESCRIPTOR PARENT`."""

from __future__ import annotations

import sys

from sonnx_verify.processes.child import main

if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

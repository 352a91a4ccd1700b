"""Entry point of `python -m replay_lab`."""

import sys

from .cli import main

sys.exit(main())

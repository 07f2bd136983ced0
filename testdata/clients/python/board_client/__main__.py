"""`python -m board_client` is the command board that was installed with this Python."""

import subprocess
import sys

from . import program

try:
    sys.exit(subprocess.call([program(), *sys.argv[1:]]))
except KeyboardInterrupt:
    sys.exit(130)

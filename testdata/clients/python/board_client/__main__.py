"""`python -m board_client` is the command board that was installed with this Python."""

import subprocess
import sys

from . import program


def main() -> None:
    try:
        sys.exit(subprocess.call([program(), *sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

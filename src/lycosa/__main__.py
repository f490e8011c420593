"""`python -m lycosa`: the command line."""

from lycosa.cli import main

main()

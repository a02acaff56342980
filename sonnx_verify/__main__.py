"""`python -m sonnx_verify`."""

from sonnx_verify.cli import main

if __name__ == "__main__":
    main()

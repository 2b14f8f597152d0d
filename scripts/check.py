"""`stg check` as a script: python scripts/check.py --help"""

from stg.cli.check import main


if __name__ == "__main__":
    main()

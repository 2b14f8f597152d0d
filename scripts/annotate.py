"""`stg annotate` as a script: python scripts/annotate.py --help"""

from stg.cli.annotate import main


if __name__ == "__main__":
    main()

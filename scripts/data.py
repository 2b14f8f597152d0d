"""`stg data` as a script: python scripts/data.py --help"""

from stg.cli.data import main


if __name__ == "__main__":
    main()

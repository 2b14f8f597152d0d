"""`stg read` as a script: python scripts/read.py --help"""

from stg.cli.read import main


if __name__ == "__main__":
    main()

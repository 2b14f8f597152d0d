"""`stg results` as a script: python scripts/results.py --help"""

from stg.cli.results import main


if __name__ == "__main__":
    main()

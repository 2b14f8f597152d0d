"""`stg figures` as a script: python scripts/figures.py --help"""

from stg.cli.figures import main


if __name__ == "__main__":
    main()

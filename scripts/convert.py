"""`stg convert` as a script: python scripts/convert.py --help"""

from stg.cli.convert import main


if __name__ == "__main__":
    main()

"""`stg build` as a script: python scripts/build.py --help"""

from stg.cli.build import main


if __name__ == "__main__":
    main()

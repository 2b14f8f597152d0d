"""`stg league` as a script: python scripts/league.py --help"""

from stg.cli.league import main


if __name__ == "__main__":
    main()

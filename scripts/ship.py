"""`stg ship` as a script: python scripts/ship.py --help"""

from stg.cli.ship import main


if __name__ == "__main__":
    main()

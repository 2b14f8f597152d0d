"""`stg ship-seasons` as a script: python scripts/ship_seasons.py --help"""

from stg.cli.ship_seasons import main


if __name__ == "__main__":
    main()

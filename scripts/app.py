"""The same as `stg app`: python scripts/app.py --help"""

from stg.cli.app import main


if __name__ == "__main__":
    main()

"""`stg app` as a script: python scripts/app.py --help"""

from stg.cli.app import main


if __name__ == "__main__":
    main()

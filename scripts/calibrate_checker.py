"""`stg calibrate-checker` as a script: python scripts/calibrate_checker.py --help"""

from stg.cli.calibrate_checker import main


if __name__ == "__main__":
    main()

"""`stg score` as a script: python scripts/score.py --help"""

from stg.cli.score import main


if __name__ == "__main__":
    main()

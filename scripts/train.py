"""The same as `stg train`: python scripts/train.py --help"""

from stg.cli.train import main


if __name__ == "__main__":
    main()

"""`stg train` as a script: accelerate launch scripts/train.py --help"""

from stg.cli.train import main


if __name__ == "__main__":
    main()

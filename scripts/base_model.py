"""`stg base-model` as a script: python scripts/base_model.py --help"""

from stg.cli.base_model import main


if __name__ == "__main__":
    main()

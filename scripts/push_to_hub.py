"""`stg push-to-hub` as a script: python scripts/push_to_hub.py --help"""

from stg.cli.push_to_hub import main


if __name__ == "__main__":
    main()

"""`stg demo` as a script: python scripts/demo.py --help"""

from stg.cli.demo import main


if __name__ == "__main__":
    main()

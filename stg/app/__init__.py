"""The page of `stg app` and the HTML pages of recaps."""

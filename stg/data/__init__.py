"""Data that comes with the package: seasons of the NBA, and recaps to test the checker on."""

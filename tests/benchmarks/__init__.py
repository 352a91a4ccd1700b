"""What the project measures about itself; never part of the tests."""

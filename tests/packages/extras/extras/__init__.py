"""What docs/extend.md shows, as a package of its own."""

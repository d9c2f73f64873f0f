"""What the plays of the pages show, one module per play."""

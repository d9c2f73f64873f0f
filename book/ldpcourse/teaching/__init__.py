"""What an instructor hands out, collects and grades, made from the exercises and the problem bank."""

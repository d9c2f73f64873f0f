"""Assignments, exams and quizzes for instructors, made from the exercises and the problem bank."""
